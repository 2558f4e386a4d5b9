import { join } from 'node:path';
import ts from 'typescript';

/** The compiler, told again and again what changed: it looks only at what a change reaches. */
export class Types {
	readonly #root: string;
	readonly #packages = new Map<string, ts.SourceFile | undefined>();
	readonly #programs = new Map<string, ts.SemanticDiagnosticsBuilderProgram>();

	constructor(root: string) {
		this.#root = root;
	}

	/** What does not compile, with one of the project's configurations. */
	errors(configuration: 'tsconfig.json' | 'nodes/tsconfig.json'): string[] {
		const config = ts.getParsedCommandLineOfConfigFile(join(this.#root, configuration), undefined, {
			...ts.sys,
			getCurrentDirectory: () => this.#root,
			onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
				throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
			},
		});
		if (config === undefined) throw new Error(`There is no ${configuration}`);
		const program = ts.createSemanticDiagnosticsBuilderProgram(
			config.fileNames,
			config.options,
			this.#host(config.options),
			this.#programs.get(configuration),
		);
		this.#programs.set(configuration, program);
		const found = [
			...program.getOptionsDiagnostics(),
			...program.getGlobalDiagnostics(),
			...program.getSyntacticDiagnostics(),
			...program.getSemanticDiagnostics(),
		];
		return found.map(({ file, messageText }) => {
			const place = file?.fileName.replace(`${this.#root}/`, '') ?? configuration;
			return `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
		});
	}

	/** Reads the files of packages once: they do not change. */
	#host(options: ts.CompilerOptions): ts.CompilerHost {
		const host = ts.createIncrementalCompilerHost(options);
		return {
			...host,
			getCurrentDirectory: () => this.#root,
			getSourceFile: (file, ...how) => {
				if (!file.includes('/node_modules/')) return host.getSourceFile(file, ...how);
				if (!this.#packages.has(file)) this.#packages.set(file, host.getSourceFile(file, ...how));
				return this.#packages.get(file);
			},
		};
	}
}
