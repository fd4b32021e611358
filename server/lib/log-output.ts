import { fstatSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { DestinationStream } from 'pino'

// Lines that a slow reader has not taken; beyond that they are dropped.
const MOST_WAITING = 1024 * 1024

/**
 * Writes lines to a file descriptor and never throws, ends or stops the program for it: a line that
 * a full disk or a reader that is gone does not take is lost. (Pino's own destination tries again
 * for ever where a disk is full.)
 */
export function createLogOutput(fd: number): DestinationStream {
  return isPipe(fd) ? toPipe(fd) : toFile(fd)
}

function isPipe(fd: number): boolean {
  try {
    const stats = fstatSync(fd)
    return stats.isFIFO() || stats.isSocket()
  } catch {
    return false
  }
}

function toFile(fd: number): DestinationStream {
  return {
    write(line) {
      try {
        writeSync(fd, line)
      } catch {}
    },
  }
}

/** Without waiting for the reader: one that hangs must not hang the program. */
function toPipe(fd: number): DestinationStream {
  const socket = new Socket({ fd, readable: false, writable: true })
  let isOpen = true
  socket.on('error', () => {
    isOpen = false
  })
  socket.unref()
  return {
    write(line) {
      if (isOpen && socket.writableLength < MOST_WAITING) socket.write(line)
    },
  }
}
