import { appendFileSync, closeSync, ftruncateSync, openSync, unlinkSync } from 'node:fs';
import type { Config } from '../../config/config.js';
import type { RegistryReport } from '../../domains/index.js';
import { DomainName, REGISTRY_STATES } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import { createStopSignal } from '../../process/shutdown.js';
import { CommandError, EXIT } from '../exit-codes.js';
import {
  createProgress,
  parseList,
  pluralize,
  print,
  table,
  toFileError,
  toPrintable,
  toPrintableJson,
} from '../terminal.js';

export interface RegistryOptions {
  readonly json?: boolean | undefined;
  readonly tlds?: string;
  readonly out?: string;
}

/** Asks registries about names whose answers are known, and writes the replies to a file for `npm run corpus`. */
export async function askRegistries(config: Config, { json, tlds, out }: RegistryOptions): Promise<void> {
  const chosen = tlds === undefined ? null : parseTlds(tlds);
  const { RegistryCheck, toCorpusEntries } = await import('../../domains/index.js');
  const file = AnswerFile.create(out ?? `registry-answers-${new Date().toISOString().replace(/[-:]|\..*/g, '')}.jsonl`);
  const stop = createStopSignal();
  const check = new RegistryCheck(config);
  const reports: RegistryReport[] = [];
  let total = 0;
  try {
    await check.learnServers(stop);
    const wanted = chosen ?? check.knownTlds();
    total = wanted.length;
    const progress = await createProgress(total, 'TLDs');
    try {
      await check.run(wanted, stop, (report) => {
        // written at once, so that an interruption loses only the TLDs in progress
        file.append(toCorpusEntries(report));
        progress.update(reports.push(withoutReplies(report)));
        if (!process.stderr.isTTY)
          progress.log(toPrintable(`${reports.length}/${total} ${report.tld} ${report.verdict.state}`));
      });
    } finally {
      progress.end();
    }
  } finally {
    await check.close();
    file.close();
    reports.sort((one, other) => (one.tld < other.tld ? -1 : 1));
    print(json, toJson(reports, total, file), toLines(reports, total, file));
  }
  if (stop.aborted) throw new CommandError(EXIT.interrupted, 'interrupted: the others were not asked');
  if (reports.some(({ verdict }) => verdict.state !== 'works')) throw new CommandError(EXIT.failed, '');
}

/** Removes the texts that the registry sent, because thousands of texts would fill the memory. */
function withoutReplies(report: RegistryReport): RegistryReport {
  return { ...report, answers: report.answers.map((answer) => ({ ...answer, reply: null })) };
}

function parseTlds(list: string): readonly string[] {
  const tlds = parseList(list).map((each) => each.replace(/^\./, ''));
  return [...new Set(tlds.map(parseTld))];
}

function parseTld(text: string): string {
  try {
    const name = DomainName.parseAnySuffix(`nic.${text}`);
    if (name.ascii === `nic.${name.tld}`) return name.tld;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
  throw new CommandError(EXIT.usage, `--tlds: "${text}" is not a top-level domain such as com`);
}

/** A new file of JSON lines. It never contains half a line. */
class AnswerFile {
  private bytes = 0;
  answers = 0;
  leftOut = 0;

  private constructor(
    readonly path: string,
    private readonly descriptor: number,
  ) {}

  /** @throws CommandError if the file exists, or cannot be made */
  static create(path: string): AnswerFile {
    try {
      return new AnswerFile(path, openSync(path, 'wx'));
    } catch (error) {
      throw toFileError(path, error);
    }
  }

  append({ entries, leftOut }: { readonly entries: readonly object[]; readonly leftOut: number }): void {
    const lines = entries.map((entry) => `${toPrintableJson(entry)}\n`).join('');
    try {
      appendFileSync(this.descriptor, lines);
    } catch (error) {
      ftruncateSync(this.descriptor, this.bytes); // removes half a line, which a full disk leaves
      throw toFileError(this.path, error);
    }
    this.bytes += Buffer.byteLength(lines);
    this.answers += entries.length;
    this.leftOut += leftOut;
  }

  close(): void {
    closeSync(this.descriptor);
    if (this.answers === 0) unlinkSync(this.path);
  }
}

function toLines(reports: readonly RegistryReport[], total: number, { path, answers, leftOut }: AnswerFile): string[] {
  const rows = reports.map(({ tld, verdict, answers: given }) => {
    const sources = [...new Set(given.map(({ source }) => source))].join(', ');
    return [tld, verdict.state, sources || '-', verdict.reason];
  });
  const counts = REGISTRY_STATES.map((state) => [count(reports, state), state] as const).filter(([many]) => many > 0);
  const shares = counts.map(([many, state]) => `${state} ${many}`).join(', ');
  const kept = answers === 0 ? 'no answer to keep' : `${pluralize(answers, 'answer')} in ${path}`;
  const others = leftOut === 0 ? '' : `; ${leftOut} left out, which mean something else without personal data`;
  return [
    ...table(['TLD', 'registry', 'asked by', 'why'], rows),
    '',
    `${reports.length} of ${pluralize(total, 'TLD')} asked${shares && `: ${shares}`}`,
    `${kept}${others}`,
  ];
}

function count(reports: readonly RegistryReport[], state: string): number {
  return reports.filter(({ verdict }) => verdict.state === state).length;
}

function toJson(reports: readonly RegistryReport[], total: number, { path, answers, leftOut }: AnswerFile) {
  const registries = reports.map(({ tld, verdict, answers: given }) => ({
    tld,
    ...verdict,
    answers: given.map(({ role, domain, source, server, result }) => {
      const { outcome, rule, httpStatus } = result.evidence.at(-1) ?? {};
      const error = result.kind === 'failure' ? result.code : null;
      return { role, domain, source, server, outcome, error, rule, http_status: httpStatus };
    }),
  }));
  const ok = reports.length === total && count(reports, 'works') === total;
  return { ok, total, registries, file: answers === 0 ? null : path, answers, left_out: leftOut };
}
