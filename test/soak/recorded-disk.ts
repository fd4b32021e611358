import { spawnSync } from 'node:child_process'
import { createReadStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const CALLS = [
  ...['open', 'openat', 'creat', 'write', 'writev', 'pwrite64', 'pwritev', 'ftruncate', 'truncate', 'fallocate'],
  ...['copy_file_range', 'sendfile', 'fsync', 'fdatasync', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat'],
  ...['rmdir', 'mkdir', 'mkdirat', 'link', 'linkat', 'symlink', 'symlinkat'],
]

/** What starts a program so that all that it asks of the disk is written to `log`. */
export const recording = (log: string): string[] => [
  ...['strace', '-f', '--seccomp-bpf', '-y', '-xx', '-ttt', '-s', '100000000'],
  ...['-e', `trace=${CALLS.join(',')}`, '-o', log],
]

export const canRecord = process.platform === 'linux' && spawnSync('strace', ['--seccomp-bpf', '-V']).status === 0

/** Something that was asked of the disk, and when it had answered: in milliseconds since 1970. */
export type Step = { at: number } & (
  | { kind: 'create' | 'folder' | 'remove' | 'sync'; path: string }
  | { kind: 'rename' | 'link'; path: string; to: string }
  | { kind: 'truncate'; path: string; size: number }
  | { kind: 'write'; path: string; offset: number; bytes: Buffer }
)

const TEXT = '((?:\\\\x[0-9a-f]{2})*)'
const bytesOf = (hex = ''): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex')
const textOf = (hex = ''): string => bytesOf(hex).toString()
const OPENED = new RegExp(`= (\\d+)<${TEXT}>$`)
const FILE = new RegExp(`^(\\d+)<${TEXT}>`)
const STRINGS = new RegExp(`(?:AT_FDCWD|\\d+)?(?:<${TEXT}>)?(?:, )?"${TEXT}"`, 'g')
const BYTES = new RegExp(`"${TEXT}"`, 'g')

/** The steps below `root` in the logs, one after the other. What is only shared memory is left out. */
export async function stepsIn(logs: readonly string[], root: string): Promise<Step[]> {
  const steps: Step[] = []
  const isMine = (path: string) => (path === root || path.startsWith(`${root}/`)) && !path.endsWith('-shm')
  const sizes = new Map<string, number>()
  for (const log of logs) {
    const begun = new Map<string, string>()
    const places = new Map<string, { offset: number; appends: boolean }>()

    const write = (at: number, path: string, offset: number, bytes: Buffer): void => {
      steps.push({ at, kind: 'write', path, offset, bytes })
      sizes.set(path, Math.max(sizes.get(path) ?? 0, offset + bytes.length))
    }
    const truncate = (at: number, path: string, size: number): void => {
      steps.push({ at, kind: 'truncate', path, size })
      sizes.set(path, size)
    }
    const move = (at: number, path: string, to: string): void => {
      steps.push({ at, kind: 'rename', path, to })
      for (const [name, size] of [...sizes].filter(([name]) => name === path || name.startsWith(`${path}/`))) {
        sizes.delete(name)
        sizes.set(to + name.slice(path.length), size)
      }
    }

    const take = (at: number, call: string, rest: string, result: number): void => {
      if (call.startsWith('open') || call === 'creat') {
        const opened = OPENED.exec(rest)
        const path = textOf(opened?.[2])
        if (opened === null || !isMine(path)) return
        places.set(opened[1] ?? '', { offset: 0, appends: rest.includes('O_APPEND') })
        if (rest.includes('O_CREAT') && !sizes.has(path)) {
          steps.push({ at, kind: 'create', path })
          sizes.set(path, 0)
        } else if (rest.includes('O_TRUNC')) truncate(at, path, 0)
        return
      }
      const file = FILE.exec(rest)
      if (file !== null && !call.endsWith('at') && !call.endsWith('at2')) {
        const path = textOf(file[2])
        if (!isMine(path) || rest.slice(file[0].length).startsWith('(deleted)')) return
        if (call.endsWith('sync')) steps.push({ at, kind: 'sync', path })
        else if (call === 'ftruncate') truncate(at, path, Number(/, (\d+)\s*\)/.exec(rest)?.[1]))
        else if (call.includes('write')) {
          const bytes = Buffer.concat([...rest.matchAll(BYTES)].map(([, hex]) => bytesOf(hex))).subarray(0, result)
          const place = places.get(file[1] ?? '') ?? { offset: 0, appends: false }
          if (call.startsWith('p')) write(at, path, Number(/, (\d+)\s*\)\s+= /.exec(rest)?.[1]), bytes)
          else {
            write(at, path, place.appends ? (sizes.get(path) ?? 0) : place.offset, bytes)
            place.offset += bytes.length
          }
        } else throw new Error(`a call that this recorder does not know: ${call}`)
        return
      }
      const [path = '', to = ''] = [...rest.matchAll(STRINGS)].map(([, folder, name]) =>
        textOf(name).startsWith('/') ? textOf(name) : join(textOf(folder), textOf(name)),
      )
      if (!isMine(path) && !isMine(to)) return
      if (call.startsWith('rename')) move(at, path, to)
      else if (call === 'link' || call === 'linkat') {
        steps.push({ at, kind: 'link', path, to })
        sizes.set(to, sizes.get(path) ?? 0)
      } else if (call.startsWith('mkdir')) steps.push({ at, kind: 'folder', path })
      else if (call.startsWith('unlink') || call === 'rmdir') {
        steps.push({ at, kind: 'remove', path })
        sizes.delete(path)
      } else throw new Error(`a call that this recorder does not know: ${call}`)
    }

    for await (const line of createInterface({ input: createReadStream(log, 'latin1') })) {
      const [, process = '', seconds = '', said = ''] = /^(\d+) +([\d.]+) (.*)$/.exec(line) ?? []
      if (said.endsWith('<unfinished ...>')) {
        begun.set(process, said.slice(0, -'<unfinished ...>'.length))
        continue
      }
      const resumed = /^<\.\.\. \w+ resumed>/.exec(said)
      const whole = resumed === null ? said : (begun.get(process) ?? '') + said.slice(resumed[0].length)
      const [, call = '', rest = ''] = /^(\w+)\((.*)$/.exec(whole) ?? []
      const result = Number(/= (-?\d+)(?:<[^>]*>)?(?: |$)[^=]*$/.exec(rest)?.[1] ?? -1)
      if (call !== '' && result >= 0) take(Number(seconds) * 1000, call, rest, result)
    }
  }
  return steps
}

interface Folder {
  entries: Map<string, Node>
}
interface File {
  /** What is on the disk for sure. */
  bytes: Buffer
  /** What was written since. */
  since: ({ offset: number; bytes: Buffer } | { size: number })[]
}
type Node = Folder | File
/** One change of names; a rename is both or nothing. */
type Naming = { folder: Folder; name: string; node: Node | null }[]

/** What the power leaves of what was not synced. */
export interface Cut {
  /** Of the steps, how many were done. */
  steps: number
  /** `in order`: a journal, which keeps the order of names and writes them with every sync; `promised`: nothing but what POSIX says. */
  names: 'in order' | 'promised'
  /** `torn`: some writes, and of some only some sectors. */
  unsynced: 'none' | 'torn' | 'all'
}

const SECTOR = 512
const isFolder = (node: Node | undefined): node is Folder => node !== undefined && 'entries' in node

function changed(bytes: Buffer, change: File['since'][number], keeps: () => boolean): Buffer {
  if ('size' in change) {
    if (!keeps()) return bytes
    return Buffer.concat([bytes.subarray(0, change.size), Buffer.alloc(Math.max(0, change.size - bytes.length))])
  }
  const end = change.offset + change.bytes.length
  const grown = end <= bytes.length ? bytes : Buffer.concat([bytes, Buffer.alloc(end - bytes.length)])
  for (let at = 0; at < change.bytes.length; at += SECTOR) {
    if (keeps()) change.bytes.subarray(at, at + SECTOR).copy(grown, change.offset + at)
  }
  return grown
}

const ALL = () => true

/**
 * A disk that goes through the steps once, and can be asked for what is left of it after a cut.
 * @param forgets paths whose syncs it says it did, and did not
 */
export function createDisk(
  steps: readonly Step[],
  root: string,
  forgets: (path: string, isFolder: boolean) => boolean = () => false,
) {
  const seen: Folder = { entries: new Map() }
  /** Names that are on the disk for sure, by what counts as sure; and the changes since. */
  const sure = { 'in order': new Map<Folder, Map<string, Node>>(), promised: new Map<Folder, Map<string, Node>>() }
  let open: Record<Cut['names'], Naming[]> = { 'in order': [], promised: [] }
  let done = 0

  const namesOf = (path: string): string[] => path.slice(root.length + 1).split('/')
  function placeOf(path: string): { folder: Folder; name: string } {
    const names = namesOf(path)
    const name = names.pop() ?? ''
    let folder = seen
    for (const each of names) {
      const next = folder.entries.get(each)
      if (!isFolder(next)) throw new Error(`${path} is in no folder`)
      folder = next
    }
    return { folder, name }
  }
  const find = (path: string): Node | undefined => {
    if (path === root) return seen
    const { folder, name } = placeOf(path)
    return folder.entries.get(name)
  }

  const put = (entries: Map<string, Node>, { name, node }: Naming[number]): void => {
    if (node === null) entries.delete(name)
    else entries.set(name, node)
  }
  const keep = (where: Cut['names'], naming: Naming, into = sure[where]): void => {
    for (const each of naming) {
      const entries = into.get(each.folder) ?? new Map<string, Node>()
      into.set(each.folder, entries)
      put(entries, each)
    }
  }
  function name(naming: Naming): void {
    for (const each of naming) put(each.folder.entries, each)
    open['in order'].push(naming)
    open.promised.push(naming)
  }

  function sync(path: string): void {
    const node = find(path)
    if (node === undefined || forgets(path, isFolder(node))) return
    for (const naming of open['in order']) keep('in order', naming)
    open['in order'] = []
    if (!isFolder(node)) {
      const size = Math.max(
        0,
        ...node.since.map((change) => ('size' in change ? 0 : change.offset + change.bytes.length)),
      )
      if (size > node.bytes.length) node.bytes = Buffer.concat([node.bytes, Buffer.alloc(size - node.bytes.length)])
      for (const change of node.since) node.bytes = changed(node.bytes, change, ALL)
      node.since = []
      return
    }
    const isHere = (naming: Naming) => naming.some(({ folder }) => folder === node)
    for (const naming of open.promised.filter(isHere)) keep('promised', naming)
    open = { ...open, promised: open.promised.filter((naming) => !isHere(naming)) }
  }

  function take(step: Step): void {
    if (step.kind === 'sync') {
      sync(step.path)
      return
    }
    const place = placeOf(step.path)
    const node = place.folder.entries.get(place.name)
    if (step.kind === 'write' || step.kind === 'truncate') {
      if (node !== undefined && !isFolder(node)) node.since.push(step)
    } else if (step.kind === 'rename')
      name([
        { ...place, node: null },
        { ...placeOf(step.to), node: node ?? null },
      ])
    else if (step.kind === 'link') name([{ ...placeOf(step.to), node: node ?? null }])
    else if (step.kind === 'remove') name([{ ...place, node: null }])
    else
      name([
        { ...place, node: step.kind === 'folder' ? { entries: new Map() } : { bytes: Buffer.alloc(0), since: [] } },
      ])
  }

  return {
    /** Goes on to the cut, which is not before the last one, and writes what is left to `into`. */
    leave(cut: Cut, random: () => number, into: string): void {
      for (; done < cut.steps; done += 1) {
        const step = steps[done]
        if (step !== undefined) take(step)
      }
      const names = new Map([...sure[cut.names]].map(([folder, entries]) => [folder, new Map(entries)]))
      const dropped = new Map<Folder, Set<string>>()
      let isOver = cut.unsynced === 'none'
      for (const naming of open[cut.names]) {
        if (cut.unsynced === 'torn' && random() < 0.3) isOver = cut.names === 'in order' || !isOver
        const isBehind = naming.some(({ folder, name: of }) => dropped.get(folder)?.has(of))
        if (!isOver && !isBehind) keep(cut.names, naming, names)
        else for (const { folder, name: of } of naming) dropped.set(folder, (dropped.get(folder) ?? new Set()).add(of))
      }
      const write = (folder: Folder, path: string): void => {
        mkdirSync(path, { recursive: true, mode: 0o700 })
        for (const [entry, node] of names.get(folder) ?? []) {
          if (isFolder(node)) write(node, join(path, entry))
          else writeFileSync(join(path, entry), left(node), { mode: 0o600 })
        }
      }
      const left = ({ bytes, since }: File): Buffer => {
        if (cut.unsynced === 'none') return bytes
        let now: Buffer = Buffer.from(bytes)
        for (const change of since) {
          const share = cut.unsynced === 'all' ? 1 : ([0, 0.5, 1][Math.floor(random() * 3)] ?? 1)
          if (share > 0) now = changed(now, change, () => random() < share)
        }
        return now
      }
      write(seen, into)
    },
  }
}
