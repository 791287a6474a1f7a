import { flushPromises, mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Certificate } from '../../../../src-main/common/model/cache/download.ts';
import CertificateView from '../../../../src-renderer/screens/library/details/CertificateView.vue';
import SnapshotDetails from '../../../../src-renderer/screens/library/details/SnapshotDetails.vue';
import { provideApplication } from '../support/provide-application.ts';
import { HeldBackend } from '../support/held-backend.ts';
import { makeSnapshot } from '../../../support/samples/make-snapshot.ts';

const snapshot = makeSnapshot({ fromMs: 0, toMs: 86_399_000 });
const period = snapshot.period;

function makeCertificate(change: Partial<Certificate> = {}): Certificate {
  return {
    format: 'channelscope-download-certificate',
    version: 2,
    snapshotId: 1,
    serviceAddress: 'https://reports.example.com',
    tenant: 4120,
    report: 'inbound-detail',
    reportIdentifier: '29CDB989-6221-4742-96CA-1A878545B5A3',
    idReport: 'RptInboundDetail',
    nameVisualization: '',
    period,
    sliceDays: null,
    slices: [],
    pageCount: 3,
    recordCount: 2500,
    receivedBytes: 1_500_000,
    firstTotal: 2500,
    lastTotal: null,
    setAsideCount: 0,
    coercions: [],
    remarks: [],
    state: 'complete',
    isComplete: true,
    reasons: [],
    reservations: [],
    stillOpen: false,
    resumedCount: 2,
    startedAtMs: 0,
    firstPageAtMs: 86_400_000,
    lastPageAtMs: 86_405_000,
    pagesSha256: 'ab'.repeat(32),
    ...change,
  };
}

let backend: HeldBackend;
let view: VueWrapper;

async function open(): Promise<void> {
  backend = new HeldBackend();
  const { global } = await provideApplication(backend);
  view = mount(CertificateView, { props: { snapshot }, global, attachTo: document.body });
}

async function openWith(certificate: Certificate): Promise<void> {
  await open();
  await backend.of('downloads/read-certificate')[0]!.answer(certificate);
}

const factsOf = (): Record<string, string> => {
  const names = view.findAll('dt').map((name) => name.text());
  return Object.fromEntries(names.map((name, index) => [name, view.findAll('dd')[index]!.text()]));
};
const button = (name: string) => view.findAll('button').find((each) => each.text() === name)!;

afterEach(() => {
  view.unmount();
  vi.restoreAllMocks();
});

describe('the certificate of a download', () => {
  it('keeps the place until it is read, and then says that all is there and what was received', async () => {
    await open();
    expect(view.find('.skeleton').exists()).toBe(true);
    expect(view.find('dl').exists()).toBe(false);
    const [call] = backend.of('downloads/read-certificate');
    expect(call?.input).toEqual({ snapshotId: 1 });
    await call!.answer(makeCertificate());
    expect(view.get('.verdict').text()).toContain('Complete: every record the service announced is here');
    expect(view.find('.reasons').exists()).toBe(false);
    expect(factsOf()).toMatchObject({
      Service: 'https://reports.example.com · tenant 4120',
      Requested: `${period.startDate} –\n${period.endDate} (UTC)`,
      'Report identifier': 'RptInboundDetail',
      Records: '2,500',
      Pages: '3 · 1.5 MB',
      'Announced total': '2,500 on the first page, none on the last',
      'Accepted deviations': 'none',
      Interruptions: '2',
      'SHA-256 of the pages': 'ab'.repeat(32),
    });
    expect(factsOf()).not.toHaveProperty('Fetched in');
  });

  it('says in words why it is not complete, never in codes', async () => {
    const reasons = ['client.timeout', 'total-not-reached'];
    await openWith(
      makeCertificate({ isComplete: false, state: 'incomplete', reasons, stillOpen: true, firstPageAtMs: 0 }),
    );
    expect(view.get('.verdict').text()).toContain('Not complete');
    expect(view.get('.verdict').attributes('data-complete')).toBeUndefined();
    const said = view.findAll('.reasons li').map((reason) => reason.text());
    expect(said).toHaveLength(3);
    for (const reason of reasons) expect(said.join(' ')).not.toContain(reason);
  });

  it('says nothing of pages, totals or times as long as no page was received', async () => {
    await openWith(
      makeCertificate({
        state: 'downloading',
        isComplete: false,
        stillOpen: true,
        idReport: '',
        pageCount: 0,
        recordCount: 0,
        receivedBytes: 0,
        firstTotal: null,
        firstPageAtMs: null,
        lastPageAtMs: null,
      }),
    );
    expect(view.findAll('.reasons li')).toHaveLength(0);
    expect(factsOf()).toMatchObject({
      'Report identifier': '–',
      'Announced total': '–',
      'First and last page': '–',
      'SHA-256 of the pages': '–',
    });
  });

  it('says in its heading that the service announced no total, not "every record is here"', async () => {
    await openWith(makeCertificate({ lastTotal: null, reservations: [{ code: 'total-missing', count: 1 }] }));
    const heading = view.get('.verdict').text();
    expect(heading).toContain('announced no total');
    expect(heading).not.toContain('every record the service announced');
    expect(view.find('[data-complete]').exists()).toBe(false);
  });

  it('says in its heading how many more came than announced, and what could not be read', async () => {
    const reservations = [
      { code: 'more-than-total', count: 1, detail: '250 / 100' },
      { code: 'record-unreadable', count: 2 },
    ];
    await openWith(makeCertificate({ reservations }));
    const heading = view.get('.verdict').text();
    expect(heading).toContain('more records than it announced (250 / 100)');
    expect(heading).toContain('2 entries could not be read');
  });

  it.each([
    ['downloading', 'running', 'still running'],
    ['paused', 'paused', 'paused'],
  ] as const)('has words for the certificate of a download that is %s', async (state, code, words) => {
    await openWith(makeCertificate({ state, isComplete: false, reasons: [code] }));
    expect(view.get('.verdict').text()).toContain(words);
    expect(view.findAll('.reasons li')).toHaveLength(0);
  });

  it('names the pieces of a sliced download', async () => {
    const slice = {
      startDate: '',
      endDate: '',
      pageCount: 1,
      recordCount: 1,
      firstTotal: 1,
      lastTotal: 1,
    };
    await openWith(makeCertificate({ slices: [slice, slice, slice], sliceDays: 7 }));
    expect(factsOf()['Fetched in']).toBe('3 pieces of 7 days');
  });

  it('seen: "3 pieces of 1 days"', async () => {
    const slice = { startDate: '', endDate: '', pageCount: 1, recordCount: 1, firstTotal: 1, lastTotal: 1 };
    await openWith(makeCertificate({ slices: [slice, slice, slice], sliceDays: 1 }));
    expect(factsOf()['Fetched in']).toBe('3 pieces of 1 day');
  });

  it('seen: "3 pieces of 0 days" of a snapshot that was followed', async () => {
    const slice = { startDate: '', endDate: '', pageCount: 1, recordCount: 1, firstTotal: 1, lastTotal: 1 };
    await openWith(makeCertificate({ slices: [slice, slice, slice], sliceDays: null }));
    expect(factsOf()['Fetched in']).toBe('3 pieces');
    // Each piece announces the records of the second that it shares with the one before.
    expect(factsOf()['Announced total']).toContain('where pieces meet are announced in each');
  });

  it('reads it again when the snapshot grows, and drops what arrives late', async () => {
    await open();
    await view.setProps({ snapshot: { ...snapshot, pageCount: 2 } });
    const [early, late] = backend.of('downloads/read-certificate');
    await late!.answer(makeCertificate({ recordCount: 5000 }));
    await early!.answer(makeCertificate({ recordCount: 1 }));
    expect(factsOf()['Records']).toBe('5,000');
  });

  it('shows the error when it cannot be read', async () => {
    await open();
    await backend.of('downloads/read-certificate')[0]!.refuse('snapshots.unknown');
    expect(view.get('[role=alert]').text()).toContain('snapshots.unknown');
    expect(view.find('dl').exists()).toBe(false);
  });

  it('copies the file as it would be saved, and says that it did', async () => {
    await openWith(makeCertificate());
    await button('Copy').trigger('click');
    await backend.of('downloads/export-certificate')[0]!.answer({ fileName: 'c.json', text: '{"a":1}' });
    await flushPromises();
    expect(await navigator.clipboard.readText()).toBe('{"a":1}');
    expect(button('Copied')).toBeDefined();
  });

  it('saves the file under the name that the core gives it', async () => {
    const saved: { name: string; blob: Blob }[] = [];
    let blob: Blob;
    vi.spyOn(URL, 'createObjectURL').mockImplementation((part) => {
      blob = part as Blob;
      return 'blob:certificate';
    });
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push({ name: this.download, blob });
    });
    await openWith(makeCertificate());
    await button('Save as JSON').trigger('click');
    await backend.of('downloads/export-certificate')[0]!.answer({ fileName: 'c.json', text: '{"a":1}' });
    expect(saved.map(({ name }) => name)).toEqual(['c.json']);
    expect(await saved[0]!.blob.text()).toBe('{"a":1}');
  });

  it('keeps the certificate in view when its file cannot be made, and says why', async () => {
    await openWith(makeCertificate());
    await button('Save as JSON').trigger('click');
    await backend.of('downloads/export-certificate')[0]!.refuse('cache.disk-full');
    expect(view.get('[role=alert]').text()).not.toBe('');
    expect(factsOf()['Records']).toBe('2,500');
  });
});

it("a snapshot's panel never shows the certificate of the snapshot before it", async () => {
  const held = new HeldBackend();
  const { global } = await provideApplication(held);
  const panel = mount(SnapshotDetails, {
    props: { snapshot, snapshots: [], canDo: () => false },
    global,
  });
  await flushPromises();
  await held.of('downloads/read-certificate')[0]?.answer(makeCertificate());
  expect(panel.get('[data-part=certificate]').text()).toContain('2,500');
  await panel.setProps({ snapshot: { ...snapshot, id: snapshot.id + 1 } });
  expect(panel.get('[data-part=certificate]').text()).not.toContain('2,500');
  expect(panel.get('[data-part=certificate]').find('.skeleton').exists()).toBe(true);
  panel.unmount();
});
