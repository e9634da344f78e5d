// Scrolls the course's page to the chapter that its address names.

const FRAMES = 120; // screen frames to wait for the chapter's card: Streamlit may draw it after this

/** @param {{data: {chapter: string}}} component  the class of the chapter's part of the page */
export function render({ data }) {
  let left = FRAMES;
  const look = () => {
    const chapter = document.querySelector(`.${data.chapter}`);
    if (chapter) chapter.scrollIntoView();
    else if (--left) requestAnimationFrame(look);
  };
  look();
}
