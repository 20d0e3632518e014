import { useState } from 'preact/hooks';

interface TextProps {
  readonly value: string;
  /** Characters that are shown at first. */
  readonly max?: number;
}

/**
 * A text that others wrote: a note, a tag, an excerpt of a registry's answer. Shown as it is and never as markup, apart
 * from what surrounds it (right-to-left marks end with it), and cut with the whole on demand.
 */
export function Text({ value, max = 200 }: TextProps) {
  const [isWhole, setWhole] = useState(false);
  const characters = value.length > max ? [...value] : [];
  if (characters.length <= max) return <bdi class="foreign-text">{value}</bdi>;
  return (
    <>
      <bdi class="foreign-text">{isWhole ? value : `${characters.slice(0, max).join('')}…`}</bdi>{' '}
      <button type="button" class="link-button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? 'Show less' : `Show all ${characters.length.toLocaleString('en')} characters`}
      </button>
    </>
  );
}

/** A text that is cut for good, where there is no room for a button; the whole is in its tooltip, up to 500 characters. */
export function ShortText({ value, max = 40 }: TextProps) {
  const characters = [...value];
  if (characters.length <= max) return <bdi class="foreign-text">{value}</bdi>;
  return (
    <bdi class="foreign-text" title={characters.slice(0, 500).join('')}>
      {characters.slice(0, max).join('')}…
    </bdi>
  );
}
