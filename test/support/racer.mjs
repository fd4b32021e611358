// Swaps names in a folder as fast as possible until killed, like another user with write access.
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , how, folder, target] = process.argv
const at = (name) => join(folder, name)

const flips = {
  /** The name is a file, then a symbolic link to the target, then the file again. */
  link() {
    symlinkSync(target, at('next'))
    renameSync(at('next'), at('invoice.txt'))
    writeFileSync(at('next'), 'invoice')
    renameSync(at('next'), at('invoice.txt'))
  },
  /** Like `link`, with a hard link to the target. */
  hardLink() {
    linkSync(target, at('next'))
    renameSync(at('next'), at('invoice.txt'))
    unlinkSync(at('invoice.txt'))
    writeFileSync(at('invoice.txt'), 'invoice')
  },
  /** The file's folder is a folder, then a symbolic link to the target's folder. */
  folder() {
    renameSync(at('may'), at('away'))
    symlinkSync(target, at('may'))
    unlinkSync(at('may'))
    renameSync(at('away'), at('may'))
  },
}

rmSync(at('may'), { recursive: true, force: true })
mkdirSync(at('may'))
writeFileSync(at(join('may', 'invoice.txt')), 'invoice')
process.stdout.write('begun\n')
for (;;) flips[how]()
