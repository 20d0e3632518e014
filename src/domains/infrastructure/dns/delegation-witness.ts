import { randomInt } from 'node:crypto';
import { SECOND } from '../../../kernel/clock.js';
import type { Clock } from '../../../kernel/clock.js';
import { DnsWitness, type Testimony } from '../../domain/dns-witness.js';
import type { DomainName } from '../../domain/domain-name.js';
import { printable } from '../rdap-json.js';
import { ask, type DnsServer, type DnsSilence } from './dns-exchange.js';
import { type DnsReading, questionAbout } from './dns-message.js';
import { parentOf, type ParentServers } from './parent-servers.js';

/** For all questions about one name together; milliseconds. */
const TIMEOUT_MS = 3 * SECOND;
/** When the next question goes out, while the earlier ones are still listened to; milliseconds. */
const ASK_NEXT_AFTER_MS = SECOND;
const ASKED = 3;

/** Where the questions go. */
export type AskedServers = Pick<ParentServers, 'of' | 'forget'>;
interface Heard {
  readonly server: string;
  readonly reading: DnsReading;
}

/**
 * Asks the parent's own servers for the delegation. A silent server does not lose its turn when the next one is asked: a
 * delegation that any of them reports before the timeout counts, and a denial settles nothing while another is awaited.
 */
export class DelegationWitness extends DnsWitness {
  constructor(
    private readonly servers: AskedServers,
    private readonly clock: Clock,
  ) {
    super();
  }

  async hear(name: DomainName, deadline: number): Promise<Testimony> {
    const observedAt = this.clock.now();
    // What is left of a look is no whole number, and a timer takes no other.
    const signal = AbortSignal.timeout(Math.max(Math.ceil(Math.min(deadline, TIMEOUT_MS)), 1));
    const { server, reading } = await this.question(name, signal);
    const { delegation, rule, excerpt } = reading;
    const outcome = OUTCOMES[delegation];
    const lackedTime = delegation === 'inconclusive' && signal.aborted && deadline < TIMEOUT_MS;
    // A server that had no time to answer need not have moved.
    if (rule === 'dns.no_answer' && !lackedTime) this.servers.forget(name);
    const evidence = { source: 'dns', server, outcome, rule, httpStatus: null, observedAt, excerpt } as const;
    return { delegation, evidence, ...(lackedTime && { lackedTime }) };
  }

  private async question(name: DomainName, signal: AbortSignal): Promise<Heard> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const delegated = Promise.withResolvers<Heard>();
    const conclusive = Promise.withResolvers<'conclusive'>();
    const asked: Promise<Heard>[] = [];
    for (const server of attempts(await unlessLate(this.servers.of(name), signal))) {
      if (signal.aborted) break;
      const answer = this.askOne(server, name, either);
      asked.push(answer);
      void answer.then((heard) => {
        if (heard.reading.delegation !== 'inconclusive') conclusive.resolve('conclusive');
        if (heard.reading.delegation === 'delegated') delegated.resolve(heard);
      });
      if ((await Promise.race([answer, conclusive.promise, pause(either)])) === 'conclusive') break;
    }
    const heard = await Promise.race([delegated.promise, Promise.all(asked).then(best)]);
    over.abort();
    return heard ?? { server: `${parentOf(name)}.`, reading: unheard('dns.no_servers', 'no server to be asked') };
  }

  private async askOne(server: DnsServer, name: DomainName, signal: AbortSignal): Promise<Heard> {
    const reading = await readingOf(server, name.ascii, signal);
    if (reading.delegation !== 'delegated') return { server: server.label, reading };
    const control = await readingOf(server, `${randomLabel()}.${parentOf(name)}`, signal);
    const isMadeUp = control.delegation === 'delegated' && control.nameServers.join() === reading.nameServers.join();
    const wildcard: DnsReading = { ...reading, delegation: 'inconclusive', rule: 'dns.wildcard' };
    return { server: server.label, reading: isMadeUp ? wildcard : reading };
  }
}

const OUTCOMES = { delegated: 'found', not_delegated: 'absent', inconclusive: 'inconclusive' } as const;

/** What is said when nothing was delegated: a denial, else an answer that tells why there is none. */
function best(heard: readonly Heard[]): Heard | undefined {
  return (
    heard.find(({ reading }) => reading.delegation === 'not_delegated') ??
    heard.findLast(({ reading }) => reading.rule !== 'dns.no_answer') ??
    heard.at(-1)
  );
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ASK_NEXT_AFTER_MS);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** A datagram may get lost, so a server that stands alone is asked twice. */
function attempts(servers: readonly DnsServer[]): readonly DnsServer[] {
  return servers.length === 1 ? [...servers, ...servers] : servers.slice(0, ASKED);
}

async function readingOf(server: DnsServer, name: string, signal: AbortSignal): Promise<DnsReading> {
  const heard: DnsReading | DnsSilence = await ask(server, questionAbout(name), signal);
  return heard.kind === 'reading' ? heard : unheard('dns.no_answer', heard.detail);
}

function unheard(rule: string, detail: string): DnsReading {
  const excerpt = printable(detail).slice(0, 500);
  return { kind: 'reading', delegation: 'inconclusive', rule, excerpt, nameServers: [] };
}

/** A name that nobody registered: a parent that delegates it delegates everything. */
function randomLabel(): string {
  return Array.from({ length: 24 }, () => String.fromCharCode(97 + randomInt(26))).join('');
}

/** The system's resolver keeps its own time; ours may be up before. */
function unlessLate(servers: Promise<readonly DnsServer[]>, signal: AbortSignal): Promise<readonly DnsServer[]> {
  const late = new Promise<readonly DnsServer[]>((resolve) =>
    signal.addEventListener('abort', () => resolve([]), { once: true }),
  );
  return Promise.race([servers, late]);
}
