import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { addressOf, type Bucket, type BucketOptions, createBucket } from '../../server/lib/s3-bucket.ts'
import { startObjectStore } from '../support/object-store.ts'

const QUICK = { mostIdle: 20_000, waits: [1, 1] }
const BYTES = Buffer.from('%PDF-1.7 an invoice')

function open(options: BucketOptions, limits = QUICK): Bucket {
  const bucket = createBucket(options, limits)
  onTestFinished(bucket.close)
  return bucket
}

const contentOf = (bytes: Buffer, sha256 = createHash('sha256').update(bytes).digest('hex')) => ({
  ...{ size: bytes.length, sha256 },
  async *read() {
    yield bytes
  },
})
const readOf = (bucket: Bucket, name: string) =>
  bucket.get(name, BYTES.length, async (body) => Buffer.concat(await Readable.from(body).toArray()))

test('what is put is there, until it is removed', async () => {
  const { options, names } = await startObjectStore()
  const bucket = open(options)
  await bucket.put('a', contentOf(BYTES))
  expect(names()).toEqual(['a'])
  expect(await readOf(bucket, 'a')).toEqual(BYTES)
  await bucket.remove('a')
  expect(await readOf(bucket, 'a')).toBeUndefined()
  await bucket.remove('a')
  expect(bucket.place).toBe('s3://invoices/shop/files')
})

test.each([
  ['another secret', { secretAccessKey: 'other' }, 'SignatureDoesNotMatch'],
  ['a key that is not known', { accessKeyId: 'OTHER' }, 'InvalidAccessKeyId'],
  ['another region', { region: 'eu-central-1' }, 'AuthorizationHeaderMalformed'],
  ['a bucket that is not there', { bucket: 'other' }, 'NoSuchBucket'],
])('%s is refused at once, with its code and what to do', async (_what, wrong, code) => {
  const { options, requests } = await startObjectStore()
  const bucket = open({ ...options, ...wrong })
  const put = bucket.put('a', contentOf(BYTES))
  await expect(put).rejects.toMatchObject({ problem: 'objects_refused', message: expect.stringContaining(code) })
  await expect(put).rejects.toThrow(/Check KURIR_FILES_URL, AWS_ACCESS_KEY_ID/)
  expect(requests).toHaveLength(1)
})

test('a file that differs from its hash is not stored', async () => {
  const { options, names } = await startObjectStore()
  const bucket = open(options)
  await bucket.put('a', contentOf(BYTES))
  const changed = bucket.put('b', contentOf(BYTES, createHash('sha256').update('other').digest('hex')))
  await expect(changed).rejects.toThrow(/XAmzContentSHA256Mismatch/)
  expect(names()).toEqual(['a'])
})

test('a request that the service is too busy for is made again', async () => {
  const { options, judge, requests } = await startObjectStore()
  const bucket = open(options)
  let left = 2
  judge(() => (left-- > 0 ? { status: 503, code: 'SlowDown' } : undefined))
  await bucket.put('a', contentOf(BYTES))
  expect(requests).toEqual(['PUT a', 'PUT a', 'PUT a'])
  left = 2
  expect(await readOf(bucket, 'a')).toEqual(BYTES)
})

test('a service that is not there, or stays too busy, is given up after three tries', async () => {
  const store = await startObjectStore()
  const bucket = open(store.options)
  store.judge(() => ({ status: 500, code: 'InternalError' }))
  const busy = { problem: 'no_objects', message: expect.stringContaining('InternalError') }
  await expect(readOf(bucket, 'a')).rejects.toMatchObject(busy)
  expect(store.requests).toHaveLength(3)
  await store.stop()
  const gone = { problem: 'no_objects', message: expect.stringMatching(/goes on by itself.*nothing listens there/) }
  await expect(bucket.put('a', contentOf(BYTES))).rejects.toMatchObject(gone)
})

test('a service that says nothing is given up', async () => {
  const { options, judge } = await startObjectStore()
  const bucket = open(options, { ...QUICK, mostIdle: 100 })
  judge(() => 'silence')
  await expect(bucket.put('a', contentOf(BYTES))).rejects.toMatchObject({ problem: 'no_objects' })
})

test('a disk that cannot be read or written is not taken for a fault of the service', async () => {
  const { options, requests } = await startObjectStore()
  const bucket = open(options)
  const broken = Object.assign(new Error('no room'), { code: 'ENOSPC' })
  const unreadable = bucket.put('a', {
    ...contentOf(BYTES),
    // biome-ignore lint/correctness/useYield: it fails before it has anything.
    async *read() {
      throw broken
    },
  })
  await expect(unreadable).rejects.toBe(broken)
  await bucket.put('a', contentOf(BYTES))
  const unwritable = bucket.get('a', BYTES.length, async () => Promise.reject(broken))
  await expect(unwritable).rejects.toBe(broken)
  expect(requests.filter((each) => each === 'GET a')).toHaveLength(1)
})

test('an object that is larger than it was is not read to its end', async () => {
  const { options, change, requests } = await startObjectStore()
  const bucket = open(options)
  await bucket.put('a', contentOf(BYTES))
  change('a', Buffer.alloc(8 * 1024 * 1024))
  expect((await readOf(bucket, 'a'))?.length).toBeLessThanOrEqual(BYTES.length)
  expect(requests).toEqual(['PUT a', 'GET a'])
})

test('an answer that ends too soon is asked for again', async () => {
  const { options, judge, requests } = await startObjectStore()
  const bucket = open(options)
  await bucket.put('a', contentOf(BYTES))
  let left = 1
  judge(() => (left-- > 0 ? 'cut' : undefined))
  expect(await readOf(bucket, 'a')).toEqual(BYTES)
  expect(requests).toEqual(['PUT a', 'GET a', 'GET a'])
})

test('without an endpoint the bucket is a part of the name of Amazon’s host', () => {
  const amazon = { bucket: 'invoices', prefix: 'shop/', region: 'ap-southeast-3' }
  expect(addressOf({ ...amazon, endpoint: undefined })).toBe('https://invoices.s3.ap-southeast-3.amazonaws.com/shop/')
  expect(addressOf({ ...amazon, endpoint: 'http://10.0.0.7:9000/' })).toBe('http://10.0.0.7:9000/invoices/shop/')
})
