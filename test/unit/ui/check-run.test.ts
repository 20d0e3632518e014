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
  it('asks for as many at once as the plan allows, and shows each as it is known', async () => {
    const service = new ScriptedService((domain) => (domain === 'b' ? problem('domain_malformed') : null));
    const run = service.run(['a', 'b', 'c'], 2);
    await run.start();
    expect(service.asked.map(({ domains }) => domains)).toEqual([['a', 'b'], ['c']]);
    expect(answers(run)).toEqual({ a: 'answered', b: 'refused', c: 'answered' });
    expect(run.state).toEqual({ kind: 'done' });
  });

  it('replaces a URL by the name in it, and checks that name once', async () => {
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
    'waits for as long as %s says, and loses nothing',
    async (code) => {
      const service = new ScriptedService();
      service.first.push(toFailure(problem(code, { status: 429, retryable: true, retry_after_seconds: 7 })));
      const run = service.run(['a']);
      await run.start();
      expect(service.waits).toEqual([7_000]);
      expect(answers(run)).toEqual({ a: 'answered' });
    },
  );

  it('asks for fewer at once when the plan was changed', async () => {
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
  ])('keeps what was answered when %s, and goes on when it is told to', async (_, first) => {
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

  it('asks again if a registry limits requests, and in the end gives up without calling the name free', async () => {
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

  it('does not ask again by itself if a registry gave no answer, and asks the registry itself when told to', async () => {
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

  it('stops, and goes on where it was', async () => {
    const service = new ScriptedService();
    const run = service.run(['a', 'b'], 1);
    const started = run.start();
    run.stop();
    await started;
    expect(run.state).toEqual({ kind: 'stopped' });
    await run.start();
    expect(answers(run)).toEqual({ a: 'answered', b: 'answered' });
  });

  it('checks only the first names of a long list, until the rest is asked for', async () => {
    const service = new ScriptedService();
    const run = service.run(['a', 'b', 'c'], 100, 1);
    await run.start();
    expect([answers(run), run.left]).toEqual([{ a: 'answered' }, 2]);
    await run.startRest();
    expect([answers(run), run.left]).toEqual([{ a: 'answered', b: 'answered', c: 'answered' }, 0]);
  });
});
