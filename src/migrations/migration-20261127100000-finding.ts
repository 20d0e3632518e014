import { Migration } from '@mikro-orm/migrations';

/*
 * Columns by which a list of entries is searched and filtered without a look at their names: an account has up to 100 000
 * entries, and reading as many names takes seconds. Triggers keep them, so that processes of the version before do too.
 */

/** The Unicode form of a name (RFC 3492, section 6.2); null for a name without one. Invalid Punycode stays as it is. */
const DECODE_LABEL = `
create function decode_punycode(label text) returns text language plpgsql immutable strict as $$
declare
  delimiter integer := length(label) - position('-' in reverse(label)) + 1;
  decoded text := case when position('-' in label) > 0 then left(label, delimiter - 1) else '' end;
  extended text := case when position('-' in label) > 0 then substr(label, delimiter + 1) else label end;
  code_point bigint := 128;
  place bigint := 0;
  bias integer := 72;
  digits integer := 0;
  former bigint;
  weight bigint;
  threshold integer;
  base integer;
  digit integer;
  delta bigint;
begin
  while digits < length(extended) loop
    former := place;
    weight := 1;
    base := 36;
    loop
      digits := digits + 1;
      digit := strpos('abcdefghijklmnopqrstuvwxyz0123456789', substr(extended, digits, 1)) - 1;
      if digits > length(extended) or digit < 0 then
        return 'xn--' || label;
      end if;
      place := place + digit * weight;
      threshold := greatest(1, least(26, base - bias));
      exit when digit < threshold;
      weight := weight * (36 - threshold);
      base := base + 36;
    end loop;
    delta := (place - former) / case when former = 0 then 700 else 2 end;
    delta := delta + delta / (length(decoded) + 1);
    base := 0;
    while delta > 455 loop
      delta := delta / 35;
      base := base + 36;
    end loop;
    bias := base + 36 * delta / (delta + 38);
    code_point := code_point + place / (length(decoded) + 1);
    place := place % (length(decoded) + 1);
    decoded := left(decoded, place::integer) || chr(code_point::integer) || substr(decoded, place::integer + 1);
    place := place + 1;
  end loop;
  return decoded;
exception when data_exception or program_limit_exceeded then
  return 'xn--' || label;
end $$`;

const UNICODE_FORM = `
create function unicode_form(domain text) returns text language sql immutable strict as $$
  select string_agg(case when left(label, 4) = 'xn--' then decode_punycode(substr(label, 5)) else label end, '.' order by nth)
  from unnest(string_to_array(domain, '.')) with ordinality as labels(label, nth)
  where domain like 'xn--%' or domain like '%.xn--%'
$$`;

/**
 * What lists are searched by, beside the name: its Unicode form, the note and the tags in lower case, then the tags as they
 * are, each between separators, which none contains. Null without any. No search contains a line feed.
 */
const SEARCHED_TEXT = `
create function searched_text(domain text, tags text[], note text) returns text language sql immutable as $$
  select nullif(
    lower(concat_ws(e'\\n',
      case when domain like '%xn--%' then unicode_form(domain) end,
      translate(note, e'\\x1f', ''),
      nullif(array_to_string(tags, e'\\n'), '')))
    || coalesce(e'\\x1f' || nullif(array_to_string(tags, e'\\x1f'), '') || e'\\x1f', ''), '')
$$`;

/** A row of an index has 2704 bytes at most, of which the other columns take up to 500. */
const SET_SEARCHED_TEXT = `
create function set_entry_searched_text() returns trigger language plpgsql as $$
declare
  whole text := searched_text(new.domain, new.tags, new.note);
begin
  new.has_long_text := coalesce(octet_length(whole) > 2000, false);
  new.searched_text := case when not new.has_long_text then whole end;
  return new;
end $$`;

/** The rule of findDrift for queries. */
const DRIFTS = `
create function drifts(name text, expected text) returns boolean language sql stable strict as $$
  select coalesce(bool_or(case kind
    when 'nameservers' then wanted -> 'nameservers' <> seen
    when 'registrar' then wanted -> 'registrar_id' <> nullif(seen -> 'iana_id', 'null')
    when 'statuses' then (wanted -> 'locked')::boolean <> case
      when jsonb_exists_any(seen, '{client transfer prohibited,server transfer prohibited}') then true
      when jsonb_exists_any(seen, '{active,add period,associated,auto renew period,client delete prohibited,client hold,
        client renew prohibited,client update prohibited,inactive,pending create,pending delete,pending renew,
        pending restore,pending transfer,pending update,redemption period,renew period,server delete prohibited,
        server hold,server renew prohibited,server update prohibited,transfer period}') then false end
    end), false)
  from (
    select kind, value::jsonb as seen, expected::jsonb as wanted from registration_records
    where domain = name and last_seen_at is null and kind in ('nameservers', 'registrar', 'statuses')) as records
$$`;

const SET_ENTRY_COLUMNS = `
create or replace function set_entry_sort_keys() returns trigger language plpgsql as $$
begin
  select (n.facts::jsonb ->> 'expiresAt')::timestamptz, n.last_checked_at is not null, n.failing_since is not null
    into new.expires_at, new.answered, new.failing from watched_names n where n.domain = new.domain;
  new.answered := coalesce(new.answered, false);
  new.failing := coalesce(new.failing, false);
  new.drifted := coalesce(drifts(new.domain, new.expected), false);
  return new;
end $$`;

const SET_DRIFTED = `
create function set_entry_drifted() returns trigger language plpgsql as $$
begin
  new.drifted := coalesce(drifts(new.domain, new.expected), false);
  return new;
end $$`;

/** What entries copy from themselves: what is searched, and whether the name's record is what they expect. */
export class Migration20261127100000EntryColumns extends Migration {
  override up(): void {
    this.addSql(`
      alter table watch_entries
        add column searched_text text,
        add column has_long_text boolean not null default false,
        add column failing boolean not null default false,
        add column drifted boolean not null default false,
        set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02)`); // see EntriesByText
    const functions = [
      DECODE_LABEL,
      UNICODE_FORM,
      SEARCHED_TEXT,
      SET_SEARCHED_TEXT,
      DRIFTS,
      SET_ENTRY_COLUMNS,
      SET_DRIFTED,
    ];
    for (const definition of functions) this.addSql(definition);
    this.addSql(`
      create trigger set_entry_searched_text before insert or update of tags, note on watch_entries
        for each row execute function set_entry_searched_text()`);
    this.addSql(`
      create trigger set_entry_drifted before update of expected on watch_entries
        for each row when (old.expected is distinct from new.expected) execute function set_entry_drifted()`);
  }
}

/** Only where they changed: a routine check writes one row. */
const UPDATE_ENTRY_COLUMNS = `
create or replace function update_entry_sort_keys() returns trigger language plpgsql as $$
declare
  expiry timestamptz(3) := (new.facts::jsonb ->> 'expiresAt')::timestamptz;
  has_answer boolean := new.last_checked_at is not null;
  is_failing boolean := new.failing_since is not null;
begin
  update watch_entries set expires_at = expiry, answered = has_answer, failing = is_failing
  where domain = new.domain
    and (expires_at is distinct from expiry or answered <> has_answer or failing <> is_failing);
  return null;
end $$`;

/** The trigger of names also tells entries when checks begin to fail, and when they no longer do. */
export class Migration20261127100100FailingNames extends Migration {
  override up(): void {
    this.addSql(UPDATE_ENTRY_COLUMNS);
    this.addSql(`
      create or replace trigger update_entry_sort_keys after update of facts, last_checked_at, failing_since on watched_names
        for each row when (
          old.facts is distinct from new.facts or (old.last_checked_at is null) <> (new.last_checked_at is null)
          or (old.failing_since is null) <> (new.failing_since is null))
        execute function update_entry_sort_keys()`);
  }
}

const UPDATE_DRIFTED = `
create function update_entry_drifted() returns trigger language plpgsql as $$
begin
  update watch_entries set drifted = not drifted
  where domain = new.domain and expected is not null and drifted <> drifts(domain, expected);
  return null;
end $$`;

/** A record that is replaced gets a new row in the same statement. */
export class Migration20261127100200DriftingRecords extends Migration {
  override up(): void {
    this.addSql(UPDATE_DRIFTED);
    const when = `for each row when (new.kind in ('nameservers', 'registrar', 'statuses')) execute function update_entry_drifted()`;
    this.addSql(`create trigger update_entry_drifted after insert on registration_records ${when}`);
    this.addSql(
      `create trigger update_entry_drifted_at_end after update of last_seen_at on registration_records ${when}`,
    );
  }
}

/** Which rows the triggers found unlike their columns say: those from before the triggers. */
const IS_UNFILLED = `(
  n.failing_since is not null and not e.failing
  or e.searched_text is null and not e.has_long_text and searched_text(e.domain, e.tags, e.note) is not null
  or e.expected is not null and not e.drifted and drifts(e.domain, e.expected))`;

/**
 * Reads all entries and writes the few that differ, some thousand to a transaction. It waits for no lock: rows that
 * others hold come with the next pass. The columns are computed once the rows are locked.
 */
const FILL = `
do $$
declare
  last text;
  next text;
  unfilled text[];
  found bigint;
begin
  loop
    last := '';
    found := 0;
    loop
      select max(id) into next from (select id from watch_entries where id > last order by id limit 5000) as batch;
      exit when next is null;
      unfilled := array(
        select e.id from (select * from watch_entries where id > last order by id limit 5000) as e
          cross join lateral (select failing_since from watched_names where domain = e.domain offset 0) as n
        where ${IS_UNFILLED});
      if cardinality(unfilled) > 0 then
        unfilled := array(
          select e.id from watch_entries e join watched_names n on n.domain = e.domain where e.id = any(unfilled)
          for no key update skip locked);
        update watch_entries e set failing = n.failing_since is not null, tags = e.tags, -- sets what is searched
          drifted = coalesce(drifts(e.domain, e.expected), false)
        from watched_names n where e.id = any(unfilled) and n.domain = e.domain;
        found := found + 1;
      end if;
      commit;
      last := next;
    end loop;
    exit when found = 0;
  end loop;
end $$`;

export class Migration20261127100300FillEntryColumns extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(FILL);
  }
}

/** Read alone by what counts the entries to act on; of most accounts it has few. */
export class Migration20261127100400EntriesNeedingAction extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create index concurrently if not exists watch_entries_needing_action
        on watch_entries (account_id, phase, status, intent, failing, drifted, answered)
        where not paused and (failing or drifted or not answered or phase in ('expired_grace', 'redemption')
          or (status = 'available' and intent = 'acquire'))`);
  }
}

/**
 * A small copy of the entries, side by side for each account, so that a search or a filter reads a few pages of an index
 * instead of a page of the table for each entry; of pages that were not vacuumed it reads the table too. A change of an entry's text writes it, a routine check does not.
 */
export class Migration20261127100500EntriesByText extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create index concurrently if not exists watch_entries_searched
        on watch_entries (account_id, created_at desc, id desc)
        include (domain, searched_text, status, phase, intent, paused, failing, drifted, answered, expires_at)`);
  }
}

/** Those whose text does not fit into an index. */
export class Migration20261127100600EntriesWithLongText extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create index concurrently if not exists watch_entries_with_long_text on watch_entries (account_id)
        where has_long_text`);
  }
}

/** The first page counts what expires soon: without a look at the table for those that are paused. */
export class Migration20261127100700ExpiringEntries extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create index concurrently if not exists watch_entries_expiring on watch_entries (account_id, expires_at)
        where not paused`);
  }
}
