// Breaks the rule: the files of another example are no package.
import { used } from '../slack-channel/sender.js';

export const ledger = used;
