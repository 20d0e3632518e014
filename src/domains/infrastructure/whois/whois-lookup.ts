import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { CHECKING } from '../../domain/budget.js';
import type { DomainName } from '../../domain/domain-name.js';
import type { Evidence, Look, LookFailureCode } from '../../domain/look.js';
import { type Ending, isWithheld, RegistryGate } from '../budget/registry-gate.js';
import { withheldLook } from '../budget/withheld-look.js';
import { printable } from '../rdap-json.js';
import { BUILT_IN_WHOIS_SERVERS } from './whois-built-in-servers.js';
import { WhoisClient, type WhoisSilence } from './whois-client.js';
import { registryOf } from './whois-registries.js';
import { readWhois, type WhoisReading } from './whois-response.js';
import { labelOf, type WhoisServer } from './whois-servers.js';

/** One WHOIS query (RFC 3912) at the server that is authoritative for the name. Only its A-label form is sent. */
@Injectable()
export class WhoisLookup {
  constructor(
    private readonly client: WhoisClient,
    private readonly gate: RegistryGate,
    private readonly clock: Clock,
  ) {}

  /** @param deadline milliseconds, by the monotonic timer, from its turn on. */
  async look(name: DomainName, server: WhoisServer, deadline: number, asking = CHECKING): Promise<Look> {
    const question = async () => {
      asking.onTurn?.();
      const observedAt = this.clock.now();
      const signal = AbortSignal.timeout(Math.max(deadline, 1));
      const reply = await this.client.ask(server, queryFor(name, server), signal);
      const reading = reply.kind === 'reply' ? readWhois(name, reply.body) : readSilence(reply, signal.aborted);
      return { reading, observedAt };
    };
    const answer = await this.gate.ask(server, asking, question, ({ reading }) => endingOf(reading, name));
    if (isWithheld(answer)) return withheldLook(answer, 'whois', labelOf(server), this.clock.now());
    return whoisLookOf(answer.reading, labelOf(server), answer.observedAt);
  }
}

function endingOf(reading: WhoisReading, { ascii: about }: DomainName): Ending {
  if (reading.kind === 'facts') return { kind: 'answered' };
  const { code, retryAfterSeconds } = reading;
  if (code === 'registry_throttled') return { kind: 'throttled', about, retryAfterSeconds };
  const isSilent = code === 'registry_unreachable' || code === 'registry_timeout';
  return isSilent ? { kind: 'failed', about } : { kind: 'answered' };
}

/** A registry's own form goes to its own server only; whoever else was named in its place may not know it. */
function queryFor({ ascii, tld }: DomainName, { host, isOverride }: WhoisServer): string {
  const isOwn = !isOverride || host === BUILT_IN_WHOIS_SERVERS.get(tld);
  return isOwn ? registryOf(tld).query.replace('{name}', ascii) : ascii;
}

function readSilence({ failure, detail }: WhoisSilence, isOver: boolean): WhoisReading {
  const codes: Record<WhoisSilence['failure'], LookFailureCode> = {
    too_large: 'registry_answer_unusable',
    timeout: isOver ? 'registry_timeout' : 'registry_unreachable',
    ...{ blocked: 'registry_unreachable', dns: 'registry_unreachable', connect: 'registry_unreachable' },
    tls: 'registry_unreachable',
  };
  const excerpt = printable(detail).slice(0, 500);
  return { kind: 'failure', rule: `whois.${failure}`, excerpt, code: codes[failure], retryAfterSeconds: null };
}

/** A reading as the look that came of it. */
export function whoisLookOf(reading: WhoisReading, server: string, observedAt: Date): Look {
  const { rule, excerpt } = reading;
  const outcome = reading.kind === 'facts' ? reading.facts.outcome : 'inconclusive';
  const evidence: Evidence[] = [{ source: 'whois', server, outcome, rule, httpStatus: null, observedAt, excerpt }];
  if (reading.kind === 'failure') {
    const { code, retryAfterSeconds } = reading;
    return { kind: 'failure', code, registry: server, retryAfterSeconds, observedAt, evidence };
  }
  const proven = { source: 'whois', observedAt, evidence, witnesses: 1, lookAgainWithin: null } as const;
  return { kind: 'proof', facts: reading.facts, ...proven };
}
