import { useState } from 'preact/hooks';

interface TextProps {
  readonly value: string;
  /** The number of characters that are shown at first. */
  readonly max?: number;
}

/**
 * A text by other people, such as a note or a registry's answer. Shows no markup, and isolates right-to-left marks from
 * the text around. A long text is cut, with a button that shows all.
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

/** A cut text without a button, for narrow places. The tooltip shows up to 500 characters. */
export function ShortText({ value, max = 40 }: TextProps) {
  const characters = [...value];
  if (characters.length <= max) return <bdi class="foreign-text">{value}</bdi>;
  return (
    <bdi class="foreign-text" title={characters.slice(0, 500).join('')}>
      {characters.slice(0, max).join('')}…
    </bdi>
  );
}
