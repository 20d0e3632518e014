import { describe, expect, it } from '@jest/globals';
import type { Check, Problem } from '../../../clients/typescript/src/index.js';
import { type Failure, toFailure } from '../../../ui/src/api/call.js';
import { type Ask, CheckRun, type Message } from '../../../ui/src/screens/check/check-run.js';

const problem = (code: string, changes: Partial<Problem> = {}): Problem => ({
  type: `/problems/${code}`,
  title: code,
  status: 422,
  detail: code,
  instance: '/v1/domains/check',
  code,
  request_id: 'request',
  retryable: false,
  ...changes,
});
const throttled = problem('registry_throttled', { status: 503, retryable: true, retry_after_seconds: 30 });
const check = (domain: string): Check => ({
  domain,
  available: true,
  status: 'available',
  expires_at: null,
  checked_at: '2026-11-21T02:00:00.000Z',
});
const META = { meta: {} };

/** The service's answer about a name: its check unless a problem is given. */
type Say = (domain: string) => Problem | null;

/** A service in a browser's place, which notes what it was asked. */
class ScriptedService {
  readonly asked: { readonly domains: readonly string[]; readonly maxAgeSeconds: number | null }[] = [];
  /** Refusals and broken answers, before it answers. */
  readonly first: (Failure | 'breaks off')[] = [];
  readonly waits: number[] = [];

  constructor(private readonly say: Say = () => null) {}

  readonly ask: Ask = (domains, maxAgeSeconds) => {
    this.asked.push({ domains, maxAgeSeconds });
    const first = this.first.shift();
    if (first !== undefined && first !== 'breaks off') return Promise.resolve({ ok: false, failure: first });
    return Promise.resolve({ ok: true, data: this.answer(domains, first === 'breaks off') });
  };

  run(domains: readonly string[], batchSize = 100, mostAtFirst?: number): CheckRun {
    const wait = (ms: number) => Promise.resolve(void this.waits.push(ms));
    const names = domains.map((domain) => ({ domain, shown: domain, kind: null }));
    const options = { ask: this.ask, batchSize, wait, onChange: () => undefined };
    return new CheckRun('names', names, mostAtFirst === undefined ? options : { ...options, mostAtFirst });
  }

  private async *answer(domains: readonly string[], breaksOff: boolean): AsyncGenerator<Message> {
    for (const [index, domain] of [...domains.entries()].reverse()) {
      const error = await Promise.resolve(this.say(domain));
      yield { index, domain, result: error ? null : check(domain), error };
      if (breaksOff) throw new Error('the connection broke');
    }
    yield META;
  }
}

const answers = ({ names }: CheckRun) => Object.fromEntries(names.map(({ domain, answer }) => [domain, answer.kind]));

describe('a check of many names in the dashboard', () => {
  it('sends at most as many names per request as the plan allows, and collects all answers', async () => {
    const service = new ScriptedService((domain) => (domain === 'b' ? problem('domain_malformed') : null));
    const run = service.run(['a', 'b', 'c'], 2);
    await run.start();
    expect(service.asked.map(({ domains }) => domains)).toEqual([['a', 'b'], ['c']]);
    expect(answers(run)).toEqual({ a: 'answered', b: 'refused', c: 'answered' });
    expect(run.state).toEqual({ kind: 'done' });
  });

  it('replaces www.a.test and www2.a.test by a single row for a.test', async () => {
    const inside = problem('not_registrable', { registrable_domain: 'a.test' });
    const run = new ScriptedService((domain) => (domain.startsWith('www') ? inside : null)).run([
      'www.a.test',
      'b.test',
      'www2.a.test',
    ]);
    await run.start();
    expect(run.names.map(({ domain, foundIn }) => [domain, foundIn])).toEqual([
      ['b.test', null],
      ['a.test', 'www2.a.test'], // whichever is refused first
    ]);
    expect(answers(run)).toEqual({ 'a.test': 'answered', 'b.test': 'answered' });
  });

  it.each(['rate_limited', 'too_many_concurrent_requests', 'overloaded', 'not_ready'])(
    'waits as long as this error says, and then gets its answer: %s',
    async (code) => {
      const service = new ScriptedService();
      service.first.push(toFailure(problem(code, { status: 429, retryable: true, retry_after_seconds: 7 })));
      const run = service.run(['a']);
      await run.start();
      expect(service.waits).toEqual([7_000]);
      expect(answers(run)).toEqual({ a: 'answered' });
    },
  );

  it('sends fewer names per request after the service refuses a request with too many names', async () => {
    const service = new ScriptedService();
    service.first.push(toFailure(problem('too_many_domains', { limit: 1 })));
    const run = service.run(['a', 'b']);
    await run.start();
    expect(service.asked.map(({ domains }) => domains)).toEqual([['a', 'b'], ['a'], ['b']]);
  });

  it.each<[string, Failure | 'breaks off']>([
    ['the connection breaks', 'breaks off'],
    ['the service does not answer', toFailure(new Error('no connection'))],
    ['a scope is missing', toFailure(problem('insufficient_scope'))],
  ])('keeps its answers when %s, and checks the other names when it is started again', async (_, first) => {
    const service = new ScriptedService();
    service.first.push(first);
    const run = service.run(['a', 'b']);
    await run.start();
    expect(run.state.kind).toBe('interrupted');
    await run.start();
    expect(answers(run)).toEqual({ a: 'answered', b: 'answered' });
    const [, again] = service.asked;
    expect(again?.domains).toEqual(first === 'breaks off' ? ['a'] : ['a', 'b']);
  });

  it('repeats a query while the registry limits requests, and after 20 queries leaves the name unknown', async () => {
    let times = 0;
    const patient = new ScriptedService((domain) => (domain === 'slow' && (times += 1) < 3 ? throttled : null));
    const run = patient.run(['slow', 'quick']);
    await run.start();
    expect(answers(run)).toEqual({ slow: 'answered', quick: 'answered' });
    expect(patient.waits).toHaveLength(2);
    const [ms = 0] = patient.waits;
    expect(ms).toBeGreaterThan(29_000);

    const never = new ScriptedService(() => throttled);
    const hopeless = never.run(['slow']);
    await hopeless.start();
    expect(never.asked).toHaveLength(20);
    expect(hopeless.names).toMatchObject([{ answer: { kind: 'unknown', askedAgainAt: null } }]);
  });

  it('repeats a query after a registry timeout only when told to, and then without the cache', async () => {
    let isBack = false;
    const silent = problem('registry_timeout', { status: 504, retryable: true });
    const service = new ScriptedService(() => (isBack ? null : silent));
    const run = service.run(['a']);
    await run.start();
    expect(answers(run)).toEqual({ a: 'unknown' });
    isBack = true;
    await run.askAgain(['a']);
    expect(service.asked.map(({ maxAgeSeconds }) => maxAgeSeconds)).toEqual([null, 0]);
    expect(answers(run)).toEqual({ a: 'answered' });
  });

  it('can be stopped, and checks all names after it is started again', async () => {
    const service = new ScriptedService();
    const run = service.run(['a', 'b'], 1);
    const started = run.start();
    run.stop();
    await started;
    expect(run.state).toEqual({ kind: 'stopped' });
    await run.start();
    expect(answers(run)).toEqual({ a: 'answered', b: 'answered' });
  });

  it('checks only the first names of a long list until the user asks for the rest', async () => {
    const service = new ScriptedService();
    const run = service.run(['a', 'b', 'c'], 100, 1);
    await run.start();
    expect([answers(run), run.left]).toEqual([{ a: 'answered' }, 2]);
    await run.startRest();
    expect([answers(run), run.left]).toEqual([{ a: 'answered', b: 'answered', c: 'answered' }, 0]);
  });
});
