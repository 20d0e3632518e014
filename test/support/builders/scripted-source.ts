import {
  absent,
  type DomainName,
  found,
  LookupSource,
  type OperatorBudget,
  type SourceAnswer,
  type SourceServer,
} from '../../../src/kit.js';

type Ask = (name: DomainName, server: SourceServer, signal: AbortSignal) => Promise<SourceAnswer>;

const SERVER: SourceServer = { host: 'api.acme.example', port: 443 };
const RECORD = found({ statuses: ['active'], expiresAt: new Date('2027-06-01T00:00:00Z') });

export const isFound: SourceAnswer = {
  kind: 'facts',
  facts: RECORD,
  rule: 'acme.taken',
  excerpt: 'taken',
  httpStatus: 200,
};
export const isAbsent: SourceAnswer = { ...isFound, facts: absent, rule: 'acme.free', excerpt: 'free' };
export const isFailing: SourceAnswer = {
  kind: 'failure',
  code: 'registry_unreachable',
  retryAfterSeconds: null,
  rule: 'acme.outage',
  excerpt: '503',
  httpStatus: 503,
};

/** An extension's source that answers as a test says, without a network. */
export class ScriptedSource extends LookupSource {
  readonly asked: string[] = [];
  name = 'acme';
  override budget: OperatorBudget | null = null;
  override hasPrivateZone = false;
  tlds: readonly string[] = ['com'];

  constructor(
    private readonly answer: Ask,
    readonly role: 'only' | 'first' = 'only',
  ) {
    super();
  }

  static answering(answer: SourceAnswer, role?: 'only' | 'first'): ScriptedSource {
    return new ScriptedSource(() => Promise.resolve(answer), role);
  }

  servers(): ReadonlyMap<string, SourceServer> {
    return new Map(this.tlds.map((tld) => [tld, SERVER]));
  }

  ask(name: DomainName, server: SourceServer, signal: AbortSignal): Promise<SourceAnswer> {
    this.asked.push(name.ascii);
    return this.answer(name, server, signal);
  }
}
