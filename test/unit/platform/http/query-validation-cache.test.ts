import { describe, expect, it } from '@jest/globals';
import { QueryValidationCache } from '../../../../src/platform/http/validation/strict-validation.pipe.js';

class Page {
  page = 1;
  tags = ['a'];
}
/** Another DTO, of the same name. */
const OtherPage = { Page: class Page {} }.Page;

describe('the cache of validated queries', () => {
  it('validates each query text only once', async () => {
    const queries = new QueryValidationCache();
    let judged = 0;
    const judge = () => Promise.resolve({ turn: (judged += 1) });
    const turns = [];
    for (const query of [{ page: '2' }, { page: '2' }, { page: ['2'] }, { per_page: '2' }])
      turns.push((await queries.getOrValidate(query, Page, judge)).turn);
    expect(turns).toEqual([1, 1, 2, 3]);
  });

  it('keeps queries of two DTO classes apart even if the classes have the same name', async () => {
    const queries = new QueryValidationCache();
    await queries.getOrValidate({ page: '2' }, Page, () => Promise.resolve({ of: 'one' }));
    expect(await queries.getOrValidate({ page: '2' }, OtherPage, () => Promise.resolve({ of: 'other' }))).toEqual({
      of: 'other',
    });
  });

  it('returns query objects that cannot be changed', async () => {
    const page = await new QueryValidationCache().getOrValidate({}, Page, () => Promise.resolve(new Page()));
    expect(() => (page.page = 2)).toThrow(TypeError);
    expect(() => page.tags.push('b')).toThrow(TypeError);
  });

  it('keeps neither long nor invalid queries', async () => {
    const queries = new QueryValidationCache();
    await expect(
      queries.getOrValidate({ page: 'x' }, Page, () => Promise.reject(new Error('no page'))),
    ).rejects.toThrow('no page');
    expect(await queries.getOrValidate({ page: 'x' }, Page, () => Promise.resolve({ judged: true }))).toEqual({
      judged: true,
    });
    const long = { page: 'x'.repeat(600) };
    await queries.getOrValidate(long, Page, () => Promise.resolve({ turn: 1 }));
    expect(await queries.getOrValidate(long, Page, () => Promise.resolve({ turn: 2 }))).toEqual({ turn: 2 });
  });
});
