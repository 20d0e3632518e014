import type { ComponentChildren } from 'preact';

interface PictureButtonProps {
  /** The id of the heading of the list behind the picture, which can have the focus. */
  readonly leadsTo: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** Makes a picture a button that moves the focus to the list behind it. */
export function PictureButton({ leadsTo, title, children }: PictureButtonProps) {
  return (
    <button type="button" class="picture-button" onClick={() => document.getElementById(leadsTo)?.focus()}>
      {children}
      <span class="visually-hidden">. {title}</span>
    </button>
  );
}
