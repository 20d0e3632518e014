import { randomInt } from 'node:crypto';
import { SECOND } from '../../../kernel/clock.js';
import type { Clock } from '../../../kernel/clock.js';
import { DnsWitness, type Testimony } from '../../domain/dns-witness.js';
import type { DomainName } from '../../domain/domain-name.js';
import { printable } from '../rdap-json.js';
import { ask, type DnsServer, type DnsSilence } from './dns-exchange.js';
import { type DnsReading, questionAbout } from './dns-message.js';
import { parentOf, type ParentServers } from './parent-servers.js';

/** All questions about one name together, and one question to one server; milliseconds. */
const PATIENCE = 3 * SECOND;
const PATIENCE_WITH_ONE = SECOND;
const ASKED = 3;

/** Where the questions go. */
export type AskedServers = Pick<ParentServers, 'of' | 'forget'>;
interface Heard {
  readonly server: string;
  readonly reading: DnsReading;
}

/** Asks the parent's own servers for the delegation, one after the other until one of them is conclusive. */
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
    const signal = AbortSignal.timeout(Math.max(Math.ceil(Math.min(deadline, PATIENCE)), 1));
    const { server, reading } = await this.question(name, signal);
    const { delegation, rule, excerpt } = reading;
    const outcome = OUTCOMES[delegation];
    const lackedTime = delegation === 'inconclusive' && signal.aborted && deadline < PATIENCE_WITH_ONE;
    // A server that had no time to answer need not have moved.
    if (rule === 'dns.no_answer' && !lackedTime) this.servers.forget(name);
    const evidence = { source: 'dns', server, outcome, rule, httpStatus: null, observedAt, excerpt } as const;
    return { delegation, evidence, ...(lackedTime && { lackedTime }) };
  }

  private async question(name: DomainName, signal: AbortSignal): Promise<Heard> {
    let last: Heard = { server: `${parentOf(name)}.`, reading: unheard('dns.no_servers', 'no server to be asked') };
    for (const server of attempts(await unlessLate(this.servers.of(name), signal))) {
      if (signal.aborted) break;
      last = await this.askOne(server, name, signal);
      if (last.reading.delegation !== 'inconclusive') return last;
    }
    return last;
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

/** A datagram may get lost, so a server that stands alone is asked twice. */
function attempts(servers: readonly DnsServer[]): readonly DnsServer[] {
  return servers.length === 1 ? [...servers, ...servers] : servers.slice(0, ASKED);
}

async function readingOf(server: DnsServer, name: string, signal: AbortSignal): Promise<DnsReading> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_WITH_ONE)]);
  const heard: DnsReading | DnsSilence = await ask(server, questionAbout(name), either);
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
