import { expect, it } from '@jest/globals';
import { createProgram } from '../../../src/cli/cli.js';

it('the command-line help lists every command with its description, without loading the commands', async () => {
  const [loaded, named] = await Promise.all([createProgram(), createProgram(['--help'])]);
  const toEntry = (command: { name(): string; description(): string }) => [command.name(), command.description()];
  expect(named.commands.map(toEntry)).toEqual(loaded.commands.map(toEntry));
  expect(named.commands.flatMap(({ options, commands }) => [...options, ...commands])).toEqual([]);
});
