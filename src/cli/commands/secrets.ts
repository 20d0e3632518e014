import { Command } from 'commander';
import { runAdminCommand } from '../run-admin-command.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { jsonCommand, print } from '../terminal.js';

export function secrets(): Command {
  return new Command('secrets').addCommand(rotate());
}

function rotate(): Command {
  return jsonCommand('rotate')
    .description('seal the key of all stored secrets with MASTER_KEY, so that MASTER_KEY_PREVIOUS can be dropped')
    .action(async ({ json }: { json?: boolean }) => {
      const { keyId, isChanged, lacking } = await runAdminCommand(({ rotateMasterKey }) => rotateMasterKey());
      if (lacking.length > 0) {
        const named = lacking.map(({ role, host, pid }) => `${role} on ${host} (pid ${pid})`).join(', ');
        const how = 'restart them with it first, in MASTER_KEY or MASTER_KEY_PREVIOUS';
        throw new CommandError(EXIT.refused, `these processes lack MASTER_KEY (${keyId}): ${named}; ${how}`);
      }
      print(json, { key_id: keyId, rotated: isChanged, can_drop_previous: true }, [
        isChanged
          ? `MASTER_KEY (${keyId}) protects all stored secrets now.`
          : `MASTER_KEY (${keyId}) protected all stored secrets already.`,
        'MASTER_KEY_PREVIOUS can be dropped.',
      ]);
    });
}
