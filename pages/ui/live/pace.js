// How often something is written that is read, and not only seen, while a hand drags or something
// trains: what moves under the hand comes first.

export const PACE = 100; // ms; nobody reads faster
