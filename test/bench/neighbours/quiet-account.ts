import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** Milliseconds from the instant at which each request was due, so that a stall counts for all that it delays. */
export interface Answers {
  readonly list: readonly number[];
  readonly add: readonly number[];
  readonly refused: number;
}

/** Requests start at this rate whether earlier ones were answered or not, as those of many people do. */
const A_SECOND = 40;
/** One of so many requests adds a name, the others list; now and then one imports some. */
const ADDS_EVERY = 4;
const IMPORTS_EVERY = 50;

/** An account that a person uses: it lists, adds a name, imports a few. */
export class QuietAccount {
  private readonly agent = new Agent({ connections: 32 });
  private sent = 0;

  constructor(
    private readonly address: string,
    private readonly key: string,
  ) {}

  async use(seconds: number): Promise<Answers> {
    const took = { list: [] as number[], add: [] as number[], import: [] as number[] };
    let refused = 0;
    const began = performance.now();
    const all: Promise<void>[] = [];
    for (let nth = 0; nth < seconds * A_SECOND; nth += 1) {
      const due = began + (nth * 1_000) / A_SECOND;
      await pause(Math.max(0, due - performance.now()));
      const kind = this.nextKind();
      const answered = this.send(kind).then((status) => {
        took[kind].push(performance.now() - due);
        if (status >= 400) refused += 1;
      });
      all.push(answered);
    }
    await Promise.all(all);
    return { list: took.list, add: took.add, refused };
  }

  private nextKind(): 'list' | 'add' | 'import' {
    this.sent += 1;
    if (this.sent % IMPORTS_EVERY === 0) return 'import';
    return this.sent % ADDS_EVERY === 0 ? 'add' : 'list';
  }

  private async send(kind: 'list' | 'add' | 'import'): Promise<number> {
    const authorization = `Bearer ${this.key}`;
    const own = { dispatcher: this.agent };
    const name = `quiet-${this.sent}.test`;
    const json = { authorization, 'content-type': 'application/json' };
    const csv = { authorization, 'content-type': 'text/csv' };
    const { statusCode, body } =
      kind === 'list'
        ? await request(`${this.address}/v1/watchlist`, { ...own, headers: { authorization } })
        : kind === 'add'
          ? await request(`${this.address}/v1/watchlist`, {
              ...own,
              method: 'POST',
              headers: json,
              body: JSON.stringify({ domain: name }),
            })
          : await request(`${this.address}/v1/watchlist/import`, {
              ...own,
              method: 'POST',
              headers: csv,
              body: `domain\na-${name}\nb-${name}\nc-${name}\n`,
            });
    await body.dump();
    return statusCode;
  }
}

export function latencies(rounds: readonly Answers[], kind: 'list' | 'add') {
  const sorted = rounds.flatMap((answers) => answers[kind]).sort((a, b) => a - b);
  const at = (part: number) => Math.round((sorted[Math.ceil(sorted.length * part) - 1] ?? NaN) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99), worst: at(1), answers: sorted.length };
}
