#!/bin/sh
# Run once by the PostgreSQL image, as its superuser, when it makes a new volume: the user who owns the database and
# migrates it, and the one as whom the service works. See docs/database.md.
set -eu
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
  --set owner="$DATABASE_OWNER_PASSWORD" --set serving="$DATABASE_PASSWORD" <<'SQL'
create role namewatch_owner login password :'owner';
create role namewatch login password :'serving';
create database namewatch owner namewatch_owner;
revoke all on database namewatch from public;
grant connect, temporary on database namewatch to namewatch;
SQL
