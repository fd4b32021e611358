import { globSync } from 'node:fs'
import type { RequestHandler } from 'express'

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * Leads a request for a file of the pages to its compressed form, made by the build, where the
 * browser takes one. Which there are is read once, with the first page; a folder without any is
 * served as it is.
 */
export function preferCompressed(folder: string): RequestHandler {
  const readNames = () =>
    new Set(globSync('**/*.{br,gz}', { cwd: folder }).map((name) => `/${name.replaceAll('\\', '/')}`))
  let names: ReturnType<typeof readNames> | undefined
  return (req, res, next) => {
    names ??= readNames()
    const known = names
    const type = TYPES[req.path.slice(req.path.lastIndexOf('.') + 1)]
    const accepted = String(req.headers['accept-encoding'] ?? '')
    const found = ENCODINGS.find(([name, end]) => accepts(accepted, name) && known.has(req.path + end))
    if (type === undefined || found === undefined) return next()
    const [encoding, end] = found
    req.url = req.path + end
    res.setHeader('content-encoding', encoding).setHeader('content-type', type)
    next()
  }
}

/** True if an Accept-Encoding header names an encoding without refusing it (RFC 9110, 12.5.3). */
function accepts(header: string, encoding: string): boolean {
  const given = header.split(',').find((part) => part.trim().split(';', 1)[0] === encoding)
  return given !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(given)
}
