import type { CalendarAddress, MadeCalendarAddress } from '#client';
import { Command } from 'commander';
import { print } from '../terminal.js';
import { apiCommand, type ApiOptions, callApi, requestJson, resolveConnection } from '../api-client.js';

export function calendar(): Command {
  return new Command('calendar').addCommand(show()).addCommand(make()).addCommand(revoke());
}

function show(): Command {
  return apiCommand('show')
    .description('say whether there is an address, and when it was last read')
    .action(async ({ json, ...connection }: ApiOptions) => {
      const address = await requestJson<CalendarAddress>('/v1/calendar', connection);
      const { active, created_at: created, last_used_at: used } = address;
      print(json, address, [active ? `an address since ${created}, last read ${used ?? 'never'}` : 'no address']);
    });
}

function make(): Command {
  return apiCommand('make')
    .description('make an address, which ends the former one')
    .action(async ({ json, ...connection }: ApiOptions) => {
      const made = await requestJson<MadeCalendarAddress>('/v1/calendar', connection, { method: 'POST', json: {} });
      const url = new URL(made.url, resolveConnection(connection).url).href;
      print(json, { ...made, url }, [
        url,
        'The address is shown this once: whoever has it reads the dates of your names.',
      ]);
    });
}

function revoke(): Command {
  return apiCommand('revoke')
    .description('revoke the address')
    .action(async ({ json, ...connection }: ApiOptions) => {
      await callApi('/v1/calendar', connection, { method: 'DELETE' });
      print(json, { active: false }, ['There is no address any more.']);
    });
}
