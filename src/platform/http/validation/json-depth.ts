/** No valid body is deeper. Recursion into deeper bodies could exhaust the stack. */
export const DEPTH_LIMIT = 20;

export function isTooDeep(text: string): boolean {
  return nestingDepth(text) > DEPTH_LIMIT;
}

/** Returns the deepest nesting of brackets outside strings, without parsing the text. */
function nestingDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (inString) {
      if (character === '\\') i += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, (depth += 1));
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}
