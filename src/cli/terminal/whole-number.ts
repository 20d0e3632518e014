import { InvalidArgumentError } from 'commander';

/** Reads an option from 1 to `max`. */
export function parseWholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < 1 || number > max)
      throw new InvalidArgumentError(`not a whole number from 1 to ${max}`);
    return number;
  };
}
