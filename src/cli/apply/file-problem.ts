import { CommandError, EXIT } from '../exit-codes.js';

/** Counted from 1. */
export interface Position {
  readonly line: number;
  readonly col: number;
}

/** What is wrong with a file, and where: `watchlist.yaml:12:5: unknown key "colour"`. */
export class FileProblem extends CommandError {
  constructor(file: string, { line, col }: Position, message: string) {
    super(EXIT.refused, `${file}:${line}:${col}: ${message}`);
  }
}
