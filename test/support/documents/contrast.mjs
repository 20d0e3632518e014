/* global document, getComputedStyle, matchMedia, NodeFilter */

/**
 * Runs in a browser, and so leans on nothing outside of itself: the texts in view whose contrast with what is behind
 * them is less than this (WCAG 2.2, 1.4.3), each with its ratio.
 */
export function faint(least) {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const brush = canvas.getContext('2d', { willReadFrequently: true });
  const colourOf = (css) => {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = css;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
  const paper = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
  const behind = (element) => {
    if (element === null) return paper;
    const own = colourOf(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(element.parentElement));
  };
  const light = (channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const luminance = ([red, green, blue]) => 0.2126 * light(red) + 0.7152 * light(green) + 0.0722 * light(blue);
  const isSeen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    const { visibility, opacity } = getComputedStyle(element);
    return width > 1 && height > 1 && visibility === 'visible' && opacity !== '0';
  };
  const ratioOf = (element) => {
    const ground = behind(element);
    const [one, other] = [luminance(over(colourOf(getComputedStyle(element).color), ground)), luminance(ground)];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  const found = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement: element, textContent } = texts.currentNode;
    const text = textContent.trim();
    if (text === '' || ['STYLE', 'SCRIPT', 'OPTION', 'NOSCRIPT'].includes(element.tagName) || !isSeen(element))
      continue;
    const ratio = ratioOf(element);
    if (ratio < least) found.add(`${ratio.toFixed(1)} ${element.tagName}.${element.className}: ${text.slice(0, 30)}`);
  }
  return [...found];
}
