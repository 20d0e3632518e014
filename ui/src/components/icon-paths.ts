/** Paths on a grid of 24, drawn as lines. */
export const PATHS = {
  list: 'M8 6h13M8 12h13M8 18h13M3.5 6h.01M3.5 12h.01M3.5 18h.01',
  calendar: 'M7 3v4M17 3v4M4 9h16M5 5h14a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4',
  globe: 'M3 12h18M12 3a14 14 0 0 1 0 18M12 3a14 14 0 0 0 0 18M12 3a9 9 0 1 1 0 18a9 9 0 0 1 0-18',
  key: 'M15 9a4 4 0 1 0-4 4M11 13l-7 7M7 17l2 2M11 13a4 4 0 0 0 4-4',
  search: 'M11 4a7 7 0 1 1 0 14a7 7 0 0 1 0-14M20 20l-4-4',
  plus: 'M12 5v14M5 12h14',
  pause: 'M9 6v12M15 6v12',
  play: 'M8 5l11 7l-11 7z',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  check: 'M5 13l4 4L19 7',
  clock: 'M12 7v5l3 2M12 3a9 9 0 1 1 0 18a9 9 0 0 1 0-18',
  close: 'M6 6l12 12M18 6L6 18',
  upload: 'M12 16V4M7 9l5-5l5 5M4 16v4h16v-4',
  download: 'M12 4v12M7 11l5 5l5-5M4 16v4h16v-4',
  tag: 'M4 4h8l9 9l-8 8l-9-9zM8.5 8.5h.01',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  refresh: 'M20 11a8 8 0 1 0-2 6M20 5v6h-6',
  up: 'M6 15l6-6l6 6',
  down: 'M6 9l6 6l6-6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  send: 'M4 12l16-8l-5 16l-4-7z',
  people:
    'M9 4a3.5 3.5 0 1 1 0 7a3.5 3.5 0 0 1 0-7M3 20v-1a6 6 0 0 1 12 0v1M15.5 4.5a3.5 3.5 0 0 1 0 6M18 14.5a6 6 0 0 1 3 4.5v1',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  arrow: 'M5 12h14M13 6l6 6l-6 6',
} as const;

export type IconName = keyof typeof PATHS;
