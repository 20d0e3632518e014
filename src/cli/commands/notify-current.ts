import { Option } from 'commander';

/** Without this option, channels get only changes that happen after the command. */
export function notifyCurrentOption(): Option {
  return new Option('--notify-current', 'tell channels what is already true too');
}
