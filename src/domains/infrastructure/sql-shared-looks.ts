import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock, MINUTE, SECOND } from '../../kernel/clock.js';
import { Batches } from '../../platform/concurrency/batcher.js';
import { Statements } from '../../platform/database/sql-client.js';
import type { DomainName } from '../domain/domain-name.js';
import type { Look } from '../domain/look.js';
import { type Change, FLIGHT_LEASE, type Landing, SharedLooks, type Standing } from '../domain/shared-looks.js';
import { Arrivals } from './arrivals.js';
import { failureText, proofOf, textsOf } from './look-text.js';
import { OwnFlights } from './own-flights.js';
import { CHANGES, CONSULT, FOUND_IN, GIVE_UP, LAND, PRUNE } from './shared-looks-statements.js';

interface Asked {
  readonly domain: string;
  readonly notBefore: Date | null;
}
interface Consulted {
  readonly domain: string;
  readonly ours: string | null;
  readonly theirs: string | null;
  readonly facts: string | null;
  readonly proof: string | null;
}
interface LandingRow {
  readonly domain: string;
  readonly landed: string | null;
  readonly failure: string | null;
  readonly facts: string | null;
  readonly proof: string | null;
  readonly observedAt: Date | null;
  readonly freshUntil: Date | null;
}

const PRUNE_EVERY = 5 * MINUTE;

/**
 * The looks of all processes in one table of PostgreSQL. Nothing is held open while a registry is asked: a flight is a
 * row with a number and a lease, and a process that crashed costs the others that lease.
 */
@Injectable()
export class SqlSharedLooks extends SharedLooks implements BeforeApplicationShutdown {
  private readonly log = new Logger(SqlSharedLooks.name);
  private readonly consultations = new Batches<Asked, Standing | null>((asked) => this.consultAll(asked));
  private readonly landings = new Batches<LandingRow, null>((landed) => this.landAll(landed));
  private readonly arrivals: Arrivals;
  private readonly own: OwnFlights;

  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
  ) {
    super();
    this.arrivals = new Arrivals(statements);
    this.own = new OwnFlights(statements);
  }

  async consult({ ascii: domain }: DomainName, notBefore: Date | null): Promise<Standing> {
    for (;;) {
      const standing = await this.consultations.ask({ domain, notBefore });
      if (standing) return standing;
    }
  }

  arrivalOf({ ascii }: DomainName, flight: string): Promise<Look | null> {
    return this.arrivals.of(ascii, flight);
  }

  async land(landing: Landing): Promise<void> {
    try {
      await this.landings.ask(rowOf(landing));
    } finally {
      if (landing.flight !== null) this.own.end(landing.flight);
    }
  }

  async giveUp({ ascii }: DomainName, flight: string): Promise<void> {
    this.own.end(flight);
    await this.statements.run(GIVE_UP, [ascii, flight]);
  }

  @Interval(SECOND)
  async renew(): Promise<void> {
    await this.own.renew();
  }

  changes(seconds: number): Promise<readonly Change[]> {
    return this.statements.run<Change>(CHANGES, [seconds]);
  }

  async foundIn(tld: string, count: number): Promise<readonly string[]> {
    const rows = await this.statements.run<{ domain: string }>(FOUND_IN, [tld, count]);
    return rows.map(({ domain }) => domain);
  }

  @Interval(PRUNE_EVERY)
  async prune(): Promise<void> {
    try {
      await this.statements.run(PRUNE, [this.clock.now()]);
    } catch (error) {
      this.log.warn(`old looks were not cleared away: ${(error as Error).message}`);
    }
  }

  /** Nobody waits for a landing, except other processes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.landings.settled();
  }

  private async consultAll(asked: readonly Asked[]): Promise<(Standing | null)[]> {
    const values = [JSON.stringify(asked), this.clock.now(), FLIGHT_LEASE / SECOND];
    const rows = await this.statements.run<Consulted>(CONSULT, values);
    for (const { domain, ours } of rows) if (ours !== null) this.own.begin(domain, ours);
    const standings = new Map(rows.map((row) => [row.domain, standingOf(row)]));
    return asked.map(({ domain }) => standings.get(domain) ?? null);
  }

  private async landAll(landed: readonly LandingRow[]): Promise<null[]> {
    await this.statements.run(LAND, [JSON.stringify([...merged(landed).values()])]);
    return landed.map(() => null);
  }
}

function standingOf({ ours, theirs, facts, proof }: Consulted): Standing | null {
  if (facts !== null && proof !== null) return { kind: 'proven', proof: proofOf({ facts, proof }) };
  if (ours !== null) return { kind: 'ours', flight: ours };
  return theirs === null ? null : { kind: 'theirs', flight: theirs };
}

function rowOf({ name, look, flight, freshUntil }: Landing): LandingRow {
  const row = { domain: name.ascii, landed: flight, failure: null, facts: null, proof: null, freshUntil: null };
  if (look.kind === 'proof') return { ...row, ...textsOf(look), observedAt: look.observedAt, freshUntil };
  return { ...row, failure: failureText(look), observedAt: look.vetoed ? look.observedAt : null };
}

/** A watch's look and a person's may end in the same moment; a row can be changed once in a statement. */
function merged(rows: readonly LandingRow[]): Map<string, LandingRow> {
  const byName = new Map<string, LandingRow>();
  for (const row of rows) {
    const other = byName.get(row.domain);
    byName.set(row.domain, other ? joined(other, row) : row);
  }
  return byName;
}

function joined(one: LandingRow, other: LandingRow): LandingRow {
  const [earlier, later] = (one.observedAt ?? 0) > (other.observedAt ?? 0) ? [other, one] : [one, other];
  const flown = one.landed === null ? other : one;
  return { ...(later.observedAt ? later : earlier), landed: flown.landed, failure: flown.failure };
}
