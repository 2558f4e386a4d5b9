/** Preloaded into n8n's process: takes samples during a measured run, and serves them over HTTP. */
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import { sample, samplerPort } from './samples.ts';

function serve(port: number): void {
	let sampling = sample();
	const server = createServer((request, response) => {
		const samples = sampling.end();
		if (request.url === '/begin') sampling = sample();
		response.end(JSON.stringify(samples));
	});
	server.listen(port, '127.0.0.1').unref();
}

// The guard that starts n8n has the same environment, and n8n's threads load the same modules.
if (isMainThread && process.argv[2] === 'start') {
	// n8n's own children are not to be sampled.
	delete process.env.NODE_OPTIONS;
	serve(Number(process.env[samplerPort]));
}
