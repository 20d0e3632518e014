import { Option } from 'commander';

/** Makes the option. Without the option, channels get only later changes. */
export function notifyCurrentOption(): Option {
  return new Option('--notify-current', 'tell channels what is already true too');
}
