/**
 * What every e-mail address has: one @ with something on either side, and no spaces. What else makes an address is
 * left to the service.
 */
export const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+$/;
