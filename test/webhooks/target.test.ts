import { describe, expect, test } from 'vitest'
import type { Resolve } from '../../server/lib/net-guard.ts'
import { callbackPolicy, refuseTarget } from '../../server/webhooks/target.ts'

const policy = callbackPolicy({ ports: () => [7420, 7421], addresses: () => ['192.168.1.20', 'fd12::20'] })

const NAMES: Record<string, string[]> = {
  localhost: ['::1', '127.0.0.1'],
  'kasir-pc': ['fe80::3%4', '192.168.1.30'],
  'this-pc': ['192.168.1.20'],
  'hidden.example': ['169.254.169.254'],
  'mixed.example': ['93.184.215.14', '169.254.169.254'],
}
const resolve: Resolve = async (name) => {
  const addresses = NAMES[name]
  if (addresses === undefined) throw Object.assign(new Error(name), { code: 'ENOTFOUND' })
  return addresses
}

describe('may be saved', () => {
  test.each([
    'http://127.0.0.1:8000/hook',
    'http://localhost:3000/hook',
    'http://[::1]:3000/',
    'http://192.168.1.10/hook',
    'http://192.168.1.10:7420/another-kurir',
    'http://10.0.0.5:9000/',
    'http://kasir-pc:8000/',
    'https://pos.example/hook',
    'http://93.184.215.14/',
  ])('%s', async (url) => {
    expect(await refuseTarget(url, policy, resolve)).toBeNull()
  })
})

describe('is refused with a reason', () => {
  test.each([
    ['nonsense', 'not a URL'],
    ['ftp://127.0.0.1/', 'http://'],
    ['http://user:secret@127.0.0.1:8000/', 'password'],
    ['http://127.0.0.1:7420/send', 'Kurir itself'],
    ['http://127.9.9.9:7421/', 'Kurir itself'],
    ['http://localhost:7420/', 'Kurir itself'],
    ['http://[::1]:7420/', 'Kurir itself'],
    ['http://[::ffff:127.0.0.1]:7420/', 'Kurir itself'],
    ['http://192.168.1.20:7420/', 'Kurir itself'],
    ['http://[fd12:0::20]:7421/', 'Kurir itself'],
    ['http://this-pc:7420/', 'Kurir itself'],
    ['http://0.0.0.0:8000/', 'unspecified'],
    ['http://169.254.169.254/', 'metadata'],
    ['http://[fd00:ec2::254]/', 'metadata'],
    ['http://2852039166/', 'metadata'],
    ['http://169.254.5.5/', 'link-local'],
    ['http://[fe80::1]:8000/', 'link-local'],
    ['http://224.0.0.1/', 'multicast'],
    ['http://255.255.255.255/', 'broadcast'],
    ['http://hidden.example/', 'metadata'],
    ['http://mixed.example/', 'metadata'],
  ])('%s', async (url, reason) => {
    expect(await refuseTarget(url, policy, resolve)).toContain(reason)
  })
})

test('an error that is not of the name look-up is thrown', async () => {
  const broken: Resolve = async () => Promise.reject(new TypeError('broken'))
  await expect(refuseTarget('http://pos.example/', policy, broken)).rejects.toThrow('broken')
})
