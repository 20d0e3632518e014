import { Command } from 'commander';
import { runAdminCommand } from '../run-admin-command.js';
import { print } from '../terminal.js';
import { CommandError, EXIT } from '../exit-codes.js';

export function secrets(): Command {
  return new Command('secrets').description('stored secrets, which the master key encrypts').addCommand(reseal());
}

function reseal(): Command {
  return new Command('reseal')
    .description('encrypt every stored secret with MASTER_KEY again, so that MASTER_KEY_PREVIOUS can be dropped')
    .option('--json', 'one line of JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { keyId, kinds } = await runAdminCommand(({ resealSecrets }) => resealSecrets());
      const unreadable = kinds.reduce((sum, kind) => sum + kind.unreadable, 0);
      const lines = kinds.map((kind) => {
        const lost = kind.unreadable > 0 ? `, ${kind.unreadable} that no key opens` : '';
        return `${kind.kind}: ${kind.resealed} re-encrypted, ${kind.current} were already${lost}`;
      });
      const can_drop_previous = unreadable === 0;
      print(json, { key_id: keyId, kinds, can_drop_previous }, [
        ...lines,
        can_drop_previous ? canDropMessage(keyId) : KEEP_MESSAGE,
      ]);
      if (!can_drop_previous) throw new CommandError(EXIT.failed, '');
    });
}

const canDropMessage = (keyId: string) =>
  `All of them are sealed with MASTER_KEY (${keyId}). MASTER_KEY_PREVIOUS can be dropped once every process runs with ` +
  'this MASTER_KEY; links in mails that were sent before then stop working.';
const KEEP_MESSAGE = 'MASTER_KEY_PREVIOUS is still needed: add the key that is missing, and run this again.';
