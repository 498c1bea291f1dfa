import { z } from 'zod'

const maxIds = 10_000

/** `?id=1,2,3` of every bulk call; ids given twice count once. */
export const bulkIds = z.object({
  id: z
    .union([z.string().max(200_000), z.array(z.string()).transform((parts) => parts.join(','))], {
      error: 'id is required',
    })
    .transform((text, context) => {
      const parts = text
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
      const wrong = parts.find((part) => !/^\d{1,15}$/.test(part))
      const refuse = (message: string) => {
        context.addIssue({ code: 'custom', message })
        return z.NEVER
      }
      if (wrong !== undefined) return refuse(`id: "${wrong.slice(0, 40)}" is not a number`)
      if (parts.length === 0) return refuse('id is required')
      if (parts.length > maxIds) return refuse(`id: at most ${maxIds} at once`)
      return [...new Set(parts.map(Number))]
    }),
})
