import { Injectable } from '@nestjs/common';
import { Statements } from '../../../platform/database/sql-client.js';
import { StreamPlaces } from '../../application/ports/stream-slots.js';

const PLACES = 5;
/** Seconds; several times as long as between two renewals. */
const LEASE = 60;

const TAKE = {
  name: 'stream_place_take',
  text: `
    with gone as (delete from event_stream_places where until <= now())
    insert into event_stream_places (account_id, token, until)
    select $1, gen_random_uuid()::text, now() + make_interval(secs => $2)
    where (select count(*) from event_stream_places where account_id = $1 and until > now()) < $3
    returning token`,
};
const KEEP = {
  name: 'stream_places_keep',
  text: `update event_stream_places set until = now() + make_interval(secs => $2) where token = any($1)`,
};
const LEAVE = { name: 'stream_place_leave', text: `delete from event_stream_places where token = $1` };

@Injectable()
export class SqlStreamPlaces extends StreamPlaces {
  constructor(private readonly statements: Statements) {
    super();
  }

  async take(accountId: string): Promise<string | null> {
    const turn = `streams of ${accountId}`;
    const [taken] = await this.statements.runInTurn<{ token: string }>(turn, TAKE, [accountId, LEASE, PLACES]);
    return taken?.token ?? null;
  }

  async keep(places: readonly string[]): Promise<void> {
    await this.statements.run(KEEP, [places, LEASE]);
  }

  async leave(place: string): Promise<void> {
    await this.statements.run(LEAVE, [place]);
  }
}
