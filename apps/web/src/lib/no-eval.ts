import { config } from 'zod'

// The content policy forbids code made of text. zod would try it once to find out, and browsers report each attempt.
config({ jitless: true })
