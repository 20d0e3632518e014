import { Option } from 'commander';

/** Without it, what is so already is shown, and only what changes later is told. */
export function notifyCurrentOption(): Option {
  return new Option('--notify-current', 'tell channels what is already true too');
}
