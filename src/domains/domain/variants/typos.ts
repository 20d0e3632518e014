/** The rows of a QWERTY keyboard, each shifted to the right of the one above by less than a key. */
const ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'].map((row) => [...row]);

const NEIGHBOURS: ReadonlyMap<string, readonly string[]> = new Map(
  ROWS.flatMap((keys, row) => keys.map((key, at) => [key, neighboursOf(row, at)] as const)),
);

/** Labels that one slip of the fingers makes of this one: Unicode in, Unicode out, perhaps invalid or repeated. */
export function* typosOf(label: string): Generator<string> {
  const characters = [...label];
  const splice = (at: number, removed: number, ...added: string[]) =>
    characters.toSpliced(at, removed, ...added).join('');
  const keys = characters.map((character) => NEIGHBOURS.get(character) ?? []);
  yield* characters.map((_, at) => splice(at, 1));
  yield* characters.map((character, at) => splice(at, 0, character));
  yield* characters.slice(1).map((next, at) => splice(at, 2, next, characters[at] ?? ''));
  yield* keys.flatMap((neighbours, at) => neighbours.map((key) => splice(at, 1, key)));
  yield* keys.flatMap((neighbours, at) => neighbours.flatMap((key) => [splice(at, 0, key), splice(at + 1, 0, key)]));
}

function neighboursOf(row: number, at: number): readonly string[] {
  const [above, same, below] = [ROWS[row - 1], ROWS[row], ROWS[row + 1]];
  return [above?.[at], above?.[at + 1], same?.[at - 1], same?.[at + 1], below?.[at - 1], below?.[at]].filter(
    (key) => key !== undefined,
  );
}
