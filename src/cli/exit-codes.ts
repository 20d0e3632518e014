/** How a command ended, for scripts; 69 and 78 are those of sysexits. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAuthorised: 4,
  /** A rule or the plan forbids it. */
  refused: 5,
  /** `apply --check`: entries differ from the file. */
  differs: 11,
  unreachable: 69,
  configuration: 78,
  /** As a shell has it for a program that Ctrl-C ends. */
  interrupted: 130,
} as const;

/** A command ends with this code and says this sentence on stderr. */
export class CommandError extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
