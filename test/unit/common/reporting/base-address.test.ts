import { describe, expect, it } from 'vitest';
import { normaliseBaseAddress } from '../../../../src-main/common/reporting/base-address.ts';

describe('decision 30, client: base addresses', () => {
  it.each([
    ['https://reports.example.com', 'https://reports.example.com'],
    ['  https://reports.example.com/  ', 'https://reports.example.com'],
    ['https://reports.example.com///', 'https://reports.example.com'],
    ['HTTPS://Reports.Example.COM:8443/Prefix/', 'https://reports.example.com:8443/Prefix'],
    ['https://reports.example.com:443', 'https://reports.example.com'],
    ['https://reports.example.com/api/ServiceReporting/CreateToken', 'https://reports.example.com'],
    [
      'https://reports.example.com/v/one/api/servicereporting/Status/1001/',
      'https://reports.example.com/v/one',
    ],
    ['https://reports.example.com/api/ServiceReporting', 'https://reports.example.com'],
    [
      'https://reports.example.com/p/api/ServiceReporting/ExecuteReport/1/29CDB989-6221-4742-96CA-1A878545B5A3',
      'https://reports.example.com/p',
    ],
    ['https://reports.example.com/api', 'https://reports.example.com'],
    ['https://reports.example.com/prefix/API//', 'https://reports.example.com/prefix'],
    ['https://reports.example.com/api/ServiceReporting/', 'https://reports.example.com'],
    ['https://reports.example.com/api/Other', 'https://reports.example.com/api/Other'],
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ['http://localhost:4000/x', 'http://localhost:4000/x'],
    ['http://[::1]:4000', 'http://[::1]:4000'],
    // A name that only looks like another is shown as what it is.
    ['https://exаmple.com', 'https://xn--exmple-4nf.com'],
  ])('decision 30, client: %s', (text, address) => {
    expect(normaliseBaseAddress(text)).toEqual({ address, warnings: [] });
  });
  it.each(['http://reports.example.com', 'http://127.0.0.1.example.com', 'http://10.0.0.5:80'])(
    'decision 30, client: plain http is warned of, %s',
    (text) => {
      expect(normaliseBaseAddress(text).warnings).toEqual(['plain-http']);
    },
  );
  it.each([
    ['https://user:pass@host.example', 'connections.address-has-credentials'],
    ['https://@host.example', 'connections.address-has-credentials'],
    ['https://host.example/?a=1', 'connections.address-has-query'],
    ['https://host.example?', 'connections.address-has-query'],
    ['https://host.example#x', 'connections.address-has-query'],
    ['', 'connections.address-invalid'],
    ['   ', 'connections.address-invalid'],
    ['host.example', 'connections.address-invalid'],
    ['host.example:8080', 'connections.address-invalid'],
    ['ftp://host.example', 'connections.address-invalid'],
    ['file:///etc/passwd', 'connections.address-invalid'],
    ['javascript:alert(1)', 'connections.address-invalid'],
    ['https:host.example', 'connections.address-invalid'],
    ['https:///host.example', 'connections.address-invalid'],
    ['https://host.example:99999', 'connections.address-invalid'],
    ['https://host.example:0', 'connections.address-invalid'],
    ['https://ho st.example', 'connections.address-invalid'],
    ['https://host.example\\@other', 'connections.address-invalid'],
    ['https://host\u200b.example', 'connections.address-invalid'],
    ['https://[::1', 'connections.address-invalid'],
    [`https://host.example/${'a'.repeat(10_000)}`, 'connections.address-invalid'],
  ])('decision 30, client: %j is refused', (text, code) => {
    expect(() => normaliseBaseAddress(text)).toThrow(expect.objectContaining({ code }));
  });
});
