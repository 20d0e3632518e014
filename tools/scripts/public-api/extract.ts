import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from '../../api-extractor.js';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emitDeclarations, ENTRIES, type Entry } from './emit.js';
import { shareKitTypes } from './share-types.js';

/** The public API, for each entry. */
export interface PublicApi {
  /** A single file with all declarations. */
  readonly declarations: Readonly<Record<Entry, string>>;
  /** The declarations without comments and sorted by name, for comparison. */
  readonly reports: Readonly<Record<Entry, string>>;
}

/**
 * Extracts the public API from the sources below `root`.
 * @throws Error with the message of the compiler or of API Extractor
 */
export function extractPublicApi(root: string): PublicApi {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'namewatch-api-'));
  try {
    const project = join(folder, 'declarations');
    emitDeclarations(root, project);
    // API Extractor treats AbortSignal and similar types as globals only if a library declares them.
    const compilerOptions = { target: 'es2024', lib: ['es2024', 'dom'], module: 'nodenext', types: ['node'] };
    const files = ENTRIES.map((entry) => `${entry}.d.ts`);
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, strict: true, skipLibCheck: true }, files }),
    );
    const kit = extract(project, 'kit');
    shareKitTypes(project, kit.declarations);
    const testing = extract(project, 'testing');
    return {
      declarations: { kit: kit.declarations, testing: testing.declarations },
      reports: { kit: kit.report, testing: testing.report },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Names that signatures mention but nobody has to import: constant lists, and helpers of one type. */
const INTERNAL = /"(?:[A-Z_]+|ConfigurableModuleClass|TypesOf|Send)"/;

function extract(project: string, entry: Entry) {
  const output = join(project, 'extracted');
  mkdirSync(output, { recursive: true });
  const config = ExtractorConfig.prepare({
    configObject: settings(project, output, entry),
    configObjectFullPath: undefined,
    packageJsonFullPath: join(project, 'package.json'),
  });
  const errors: string[] = [];
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      const isForgotten = message.messageId === 'ae-forgotten-export' && !INTERNAL.test(message.text);
      if (isForgotten) errors.push(message.text);
      if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.text);
      message.handled = true;
    },
  });
  if (!succeeded || errors.length > 0)
    throw new Error([`the public surface of ${entry}.ts cannot be read`, ...errors].join('\n'));
  return {
    declarations: readFileSync(join(output, `${entry}.d.ts`), 'utf8'),
    report: readFileSync(join(output, `${entry}.api.md`), 'utf8'),
  };
}

function settings(projectFolder: string, output: string, entry: Entry): IConfigFile {
  const quiet = { default: { logLevel: ExtractorLogLevel.None } };
  return {
    projectFolder,
    mainEntryPointFilePath: join(projectFolder, `${entry}.d.ts`),
    newlineKind: 'lf',
    compiler: { tsconfigFilePath: join(projectFolder, 'tsconfig.json') },
    apiReport: {
      enabled: true,
      reportFileName: `${entry}.api.md`,
      reportFolder: output,
      reportTempFolder: projectFolder,
    },
    docModel: { enabled: false },
    tsdocMetadata: { enabled: false },
    dtsRollup: { enabled: true, untrimmedFilePath: join(output, `${entry}.d.ts`) },
    messages: {
      extractorMessageReporting: quiet,
      tsdocMessageReporting: quiet,
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
    },
  };
}
