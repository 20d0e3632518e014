import { describe, expect, it } from '@jest/globals';
import { parseViews, withoutView, withView } from '../../../ui/src/screens/watchlist/views.js';

const BRAND = { name: 'Brand', search: '?tag=brand' };

describe('views that a browser keeps', () => {
  it('are in the order of their names, one for each name', () => {
    const views = withView(withView([BRAND], { name: 'All', search: '' }), { name: 'Brand', search: '?tag=shop' });
    expect(views).toEqual([
      { name: 'All', search: '' },
      { name: 'Brand', search: '?tag=shop' },
    ]);
    expect(withoutView(views, 'Brand')).toEqual([{ name: 'All', search: '' }]);
  });

  it.each([
    ['nothing', null],
    ['no JSON', '{'],
    ['another form', '{"name":"x"}'],
    ['views of another form', '[null,1,{"name":1,"search":"?a"},{"name":"x","search":"javascript:alert(1)"}]'],
  ])('are empty if the browser holds %s', (_, kept) => {
    expect(parseViews(kept)).toEqual([]);
  });

  it('are read as they were kept', () => {
    expect(parseViews(JSON.stringify([BRAND]))).toEqual([BRAND]);
  });
});
