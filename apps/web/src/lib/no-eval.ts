import { config } from 'zod'

// The content security policy forbids eval. zod would try it once, and browsers report each attempt.
config({ jitless: true })
