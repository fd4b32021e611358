import type { IncomingMessage, RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { run } from './run.ts'

/** Returns a request's CGI variables (RFC 3875); headers become HTTP_…. */
const variables = (req: IncomingMessage, script: string, length: number): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [`HTTP_${name.toUpperCase().replaceAll('-', '_')}`, `${value}`]),
  ),
  GATEWAY_INTERFACE: 'CGI/1.1',
  SERVER_PROTOCOL: 'HTTP/1.1',
  REQUEST_METHOD: req.method,
  REQUEST_URI: req.url,
  SCRIPT_FILENAME: script,
  SCRIPT_NAME: '/',
  CONTENT_LENGTH: String(length),
  CONTENT_TYPE: req.headers['content-type'],
  // php-cgi refuses to run unless a web server claims to have redirected the request.
  REDIRECT_STATUS: '200',
})

/** Answers each request by running a program as CGI, as shared hosting runs PHP. */
export function asCgi(command: readonly string[], script: string, env: NodeJS.ProcessEnv): RequestListener {
  return async (req, res) => {
    const body = await buffer(req)
    const { out } = await run(command, { env: { ...env, ...variables(req, script, body.length) }, input: body })
    const [head = '', ...rest] = out.split('\r\n\r\n')
    const status = /^Status: (\d+)/im.exec(head)?.[1] ?? '200'
    res.writeHead(Number(status)).end(Number(status) === 204 ? undefined : rest.join('\r\n\r\n'))
  }
}
