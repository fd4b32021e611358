import { createHash } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './folder.ts'
import { freePort } from './free-port.ts'
import { startHttpServer, type TestServer } from './http-server.ts'

interface S3rver {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => S3rver

const BUCKET = 'invoices'
const PREFIX = 'shop/files/'
const REGION = 'ap-southeast-3'
/** The only account that the server knows. */
const KEY = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
const SUFFIX = '._S3rver_object'

/** Fault in place of an answer: an error of S3, silence, or half an answer. */
type Fault = { status: number; code: string } | 'silence' | 'cut'
type Judge = (method: string, name: string) => Fault | undefined

export type ObjectStore = Awaited<ReturnType<typeof startObjectStore>>

/**
 * Starts a third-party S3 server that checks signatures, with a bucket. A proxy before it adds
 * faults and the checks of Amazon's that the server lacks. Ends with the test.
 */
export async function startObjectStore() {
  const directory = temporaryFolder()
  const s3rver = new S3rver({
    ...{ port: 0, address: '127.0.0.1', directory, silent: true, vhostBuckets: false },
    configureBuckets: [{ name: BUCKET, configs: [] }],
  })
  const { port } = await s3rver.run()
  const requests: string[] = []
  let judge: Judge = () => undefined
  let stored: (name: string) => Promise<void> = async () => {}

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = req
    const body = Buffer.concat(await req.toArray())
    const name = decodeURIComponent(url).replace(`/${BUCKET}/${PREFIX}`, '')
    requests.push(`${method} ${name}`)
    const fault = judge(method, name) ?? leftOut(method, headers, body)
    if (fault === 'silence') return
    if (fault !== undefined && fault !== 'cut') {
      res.writeHead(fault.status, { 'content-type': 'application/xml' })
      return void res.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${fault.code}</Code></Error>`)
    }
    const passed = request({ port, host: '127.0.0.1', method, path: url, headers }, async (answered) => {
      const bytes = Buffer.concat(await answered.toArray())
      if (method === 'PUT' && answered.statusCode === 200) await stored(name)
      res.writeHead(answered.statusCode ?? 500, answered.headers)
      if (fault === 'cut') res.write(bytes.subarray(0, bytes.length / 2), () => res.destroy())
      else res.end(bytes)
    })
    passed.on('error', () => res.destroy())
    passed.end(body)
  }

  const listener = (req: IncomingMessage, res: ServerResponse) => void answer(req, res).catch(() => res.destroy())
  const at = await freePort()
  let front: TestServer | undefined = await startHttpServer(listener, at)
  async function stop(): Promise<void> {
    await front?.close()
    front = undefined
  }
  onTestFinished(async () => {
    await stop()
    await s3rver.close()
  })

  const options = { bucket: BUCKET, prefix: PREFIX, region: REGION, endpoint: `http://127.0.0.1:${at}`, ...KEY }
  const url = `s3://${BUCKET}/${PREFIX.slice(0, -1)}?region=${REGION}&endpoint=${options.endpoint}`
  const folder = join(directory, BUCKET, PREFIX)
  return {
    options: { ...options, sessionToken: undefined },
    env: { KURIR_FILES_URL: url, AWS_ACCESS_KEY_ID: KEY.accessKeyId, AWS_SECRET_ACCESS_KEY: KEY.secretAccessKey },
    /** Requests so far, in order, such as `PUT name`. */
    requests,
    /** Returns the names of all objects without the prefix. */
    names: (): string[] =>
      (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) =>
        name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : [],
      ),
    /** Changes an object as somebody with write access would. */
    change: (name: string, bytes: Buffer) => writeFileSync(join(folder, name + SUFFIX), bytes),
    /** Sets the fault for each request from now on. */
    judge(by: Judge) {
      judge = by
    },
    /** Runs `work` after an object is stored and before that is answered. */
    whenStored(work: (name: string) => Promise<void>) {
      stored = work
    },
    stop,
    async start(): Promise<void> {
      front = await startHttpServer(listener, at)
    },
  }
}

/** Returns a fault that Amazon refuses but this server lets through. */
function leftOut(method: string, headers: IncomingMessage['headers'], body: Buffer): Fault | undefined {
  const { authorization = '', 'x-amz-content-sha256': hash = '' } = headers
  // Requests without a signature are anonymous (Amazon S3 user guide, "Request authentication").
  if (!authorization.startsWith('AWS4-HMAC-SHA256 ')) return { status: 403, code: 'AccessDenied' }
  // The credential's scope contains the bucket's region (API reference, "Error responses").
  if (!authorization.includes(`/${REGION}/s3/aws4_request`))
    return { status: 400, code: 'AuthorizationHeaderMalformed' }
  // `host` and all headers that begin with `x-amz-` must be signed (API reference, "Authenticating
  // requests").
  const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
  const needed = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  if (needed.some((name) => !signed.includes(name))) return { status: 403, code: 'AccessDenied' }
  if (method === 'PUT' && headers['content-length'] === undefined) return { status: 411, code: 'MissingContentLength' }
  if (hash !== createHash('sha256').update(body).digest('hex'))
    return { status: 400, code: 'XAmzContentSHA256Mismatch' }
  return undefined
}
