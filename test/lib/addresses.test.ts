import { describe, expect, test } from 'vitest'
import { type AddressKind, canonicalAddress, classifyAddress } from '../../server/lib/addresses.ts'

const KINDS: Record<AddressKind, string[]> = {
  public: ['93.184.215.14', '1.1.1.1', '2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::101:101', '2002:101:101::1'],
  loopback: [
    '127.0.0.1',
    '127.255.0.9',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ],
  private: [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.10',
    '100.64.0.1',
    'fc00::1',
    'fd12:3456::1',
    'fec0::1',
    '::ffff:10.0.0.1',
    '2002:a00:1::1',
    '64:ff9b::c0a8:10a',
  ],
  'link-local': ['169.254.1.1', 'fe80::1', 'fe80::1%eth0', '::ffff:169.254.7.7'],
  metadata: [
    '169.254.169.254',
    '169.254.170.2',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '168.63.129.16',
  ],
  multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1', '::ffff:224.0.0.1'],
  broadcast: ['255.255.255.255', '::ffff:255.255.255.255'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0'],
  reserved: [
    '240.0.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '192.0.0.1',
    '2001:db8::1',
    '2001::1',
    '64:ff9b:1::7f00:1',
    '100::1',
    '4000::1',
    'nonsense',
    '',
    '127.0.0.1.example',
  ],
}

describe.each(Object.entries(KINDS))('%s', (kind, addresses) => {
  test.each(addresses)('%s', (address) => {
    expect(classifyAddress(address)).toBe(kind)
  })
})

test('neighbours of private ranges are public', () => {
  for (const address of [
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '169.253.255.255',
    '128.0.0.1',
  ]) {
    expect(classifyAddress(address), address).toBe('public')
  }
})

test('all spellings of an address are one', () => {
  for (const spelling of ['192.168.1.10', '::ffff:192.168.1.10', '::ffff:c0a8:10a', '64:ff9b::192.168.1.10']) {
    expect(canonicalAddress(spelling)).toBe('192.168.1.10')
  }
  expect(canonicalAddress('FE80:0:0::1%3')).toBe('fe80::1')
  expect(canonicalAddress('host')).toBeNull()
})
