import { describe, expect, it } from '@jest/globals';
import { parseViews, withoutView, withView } from '../../../ui/src/screens/watchlist/views.js';

const BRAND = { name: 'Brand', search: '?tag=brand' };

describe('the watchlist views saved in a browser', () => {
  it('are sorted by name, and a new view replaces the one with the same name', () => {
    const views = withView(withView([BRAND], { name: 'All', search: '' }), { name: 'Brand', search: '?tag=shop' });
    expect(views).toEqual([
      { name: 'All', search: '' },
      { name: 'Brand', search: '?tag=shop' },
    ]);
    expect(withoutView(views, 'Brand')).toEqual([{ name: 'All', search: '' }]);
  });

  it.each([
    ['nothing', null],
    ['text that is not JSON', '{'],
    ['an object in place of a list', '{"name":"x"}'],
    ['a list of malformed views', '[null,1,{"name":1,"search":"?a"},{"name":"x","search":"javascript:alert(1)"}]'],
  ])('are an empty list if the browser has stored %s', (_, kept) => {
    expect(parseViews(kept)).toEqual([]);
  });

  it('are read as they were saved', () => {
    expect(parseViews(JSON.stringify([BRAND]))).toEqual([BRAND]);
  });
});
