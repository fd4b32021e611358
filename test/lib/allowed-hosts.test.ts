import { expect, test } from 'vitest'
import { mediaPolicy, parseAllowedHost } from '../../server/lib/net-guard.ts'

test.each([
  // entry, host, port, address, allowed
  ['192.168.1.10', '192.168.1.10', 80, '192.168.1.10', true],
  ['192.168.1.10', '192.168.1.10', 8080, '192.168.1.10', true],
  ['192.168.1.10', 'files.local', 80, '192.168.1.10', true],
  ['192.168.1.10', 'files.local', 80, '::ffff:192.168.1.10', true],
  ['192.168.1.10', '192.168.1.11', 80, '192.168.1.11', false],
  ['192.168.1.10:8080', '192.168.1.10', 8080, '192.168.1.10', true],
  ['192.168.1.10:8080', '192.168.1.10', 80, '192.168.1.10', false],
  ['192.168.1.0/24', '192.168.1.77', 9000, '192.168.1.77', true],
  ['192.168.1.0/24', '192.168.2.1', 9000, '192.168.2.1', false],
  ['192.168.1.0/24', 'x.local', 9000, 'fd00::5', false],
  ['192.168.1.0/24:8080', '192.168.1.5', 8080, '192.168.1.5', true],
  ['192.168.1.0/24:8080', '192.168.1.5', 80, '192.168.1.5', false],
  ['files.local:8080', 'files.local', 8080, '10.0.0.9', true],
  ['files.local:8080', 'files.local', 80, '10.0.0.9', false],
  ['files.local', 'FILES.local.', 80, '10.0.0.9', true],
  ['files.local', 'evil.files.local', 80, '10.0.0.9', false],
  ['files.local', 'files.local', 80, '169.254.169.254', false],
  ['files.local', 'files.local', 80, '224.0.0.1', false],
  ['files.local', 'files.local', 80, '0.0.0.0', false],
  ['bücher.local', 'xn--bcher-kva.local', 80, '10.0.0.9', true],
  ['fd00::5', 'fd00::5', 80, 'fd00::5', true],
  ['fd00:0::5', 'x.local', 80, 'fd00::5', true],
  ['[fd00::5]:8080', 'fd00::5', 8080, 'fd00::5', true],
  ['[fd00::5]:8080', 'fd00::5', 80, 'fd00::5', false],
  ['fd00::/8', 'x.local', 80, 'fd12::1', true],
  ['localhost', 'localhost', 9000, '127.0.0.1', true],
  ['127.0.0.1:9000', '127.0.0.1', 9000, '127.0.0.1', true],
])('%s: %s port %i at %s → %s', (entry, host, port, address, allowed) => {
  expect(mediaPolicy([entry])({ host, port, address }) === null).toBe(allowed)
})

test('public addresses need no entry; others are refused with their kind', () => {
  const policy = mediaPolicy([])
  expect(policy({ host: 'shop.example', port: 443, address: '93.184.215.14' })).toBeNull()
  expect(policy({ host: 'x', port: 80, address: '10.0.0.1' })).toBe('it is a private address')
})

test('metadata addresses are opened by their exact address alone, never by a range', () => {
  const metadata = { host: 'x', port: 80, address: '169.254.169.254' }
  for (const range of ['0.0.0.0/0', '169.254.0.0/16']) expect(mediaPolicy([range])(metadata), range).not.toBeNull()
  expect(mediaPolicy(['0.0.0.0/0'])({ ...metadata, address: '10.0.0.1' })).toBeNull()
  expect(mediaPolicy(['169.254.169.254'])(metadata)).toBeNull()
})

test('this PC and its network are closed, also by their public addresses, unless the owner lists them', () => {
  const own = [
    { address: '2001:db9:1:2::10', cidr: '2001:db9:1:2::10/64' },
    { address: '203.0.114.7', cidr: '203.0.114.7/32' },
  ]
  const ask = (address: string, entries: string[] = []) => mediaPolicy(entries, own)({ host: 'x', port: 80, address })
  expect(ask('2001:db9:1:2::10')).toBe('it is a local address')
  expect(ask('2001:db9:1:2::1')).toBe('it is a local address')
  expect(ask('::ffff:203.0.114.7')).toBe('it is a local address')
  expect(ask('2001:db9:1:3::1')).toBeNull()
  expect(ask('203.0.114.8')).toBeNull()
  expect(ask('2001:db9:1:2::1', ['2001:db9:1:2::/64'])).toBeNull()
})

test.each([
  '',
  ' ',
  'a b',
  'http://files.local',
  'files.local/x',
  'user@files.local',
  '10.0.0.0/99',
  'x:0',
  'x:70000',
  'x:y',
  '::::',
])('"%s" is no entry, and allows nothing', (entry) => {
  expect(parseAllowedHost(entry)).toBeNull()
  expect(mediaPolicy([entry])({ host: 'x', port: 80, address: '10.0.0.1' })).not.toBeNull()
})
