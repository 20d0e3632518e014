/** Exit codes for scripts. The codes 69 and 78 have the same meaning as in the Unix header `sysexits.h`. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAuthorised: 4,
  /** A rule or the plan forbids the action. */
  refused: 5,
  /** `apply --check` found entries that differ from the file. */
  differs: 11,
  unreachable: 69,
  configuration: 78,
  /** The code that shells use for a program ended by Ctrl-C. */
  interrupted: 130,
} as const;

/** Ends a command with this exit code and this message on stderr. */
export class CommandError extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
