/**
 * The release notes of a version, from CHANGELOG.md.
 *
 * @throws if it has no chapter for that version with a date and content
 */
export function notesOf(changelog: string, version: string): string {
	const chapters = changelog.split(/^(?=## )/m);
	const chapter = chapters.find((text) => text.startsWith(`## [${version}]`));
	if (chapter === undefined) throw new Error(`CHANGELOG.md has no chapter of ${version}.`);
	const [heading = '', ...lines] = chapter.split('\n');
	if (!/ - \d{4}-\d{2}-\d{2}$/.test(heading)) {
		throw new Error(`CHANGELOG.md: for a release, the chapter begins with "## [${version}] - YYYY-MM-DD".`);
	}
	const notes = lines.join('\n').trim();
	if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}.`);
	return `${notes}\n`;
}
