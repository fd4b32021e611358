import { expect, test } from 'vitest'
import { mediaPolicy, parseAllowedHost } from '../../server/media/allowed-hosts.ts'

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
